function lines() {
  return ['cup', 'tea'];
}

module.exports = { lines };
