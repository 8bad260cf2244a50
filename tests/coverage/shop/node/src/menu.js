export function lines() {
  return ['cup', 'tea'];
}
