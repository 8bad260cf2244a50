import { wrap } from './gift.js';
import { price } from './price.js';

export function total(names, gift = false) {
  return names.reduce((sum, name) => sum + price(name), gift ? wrap() : 0);
}
