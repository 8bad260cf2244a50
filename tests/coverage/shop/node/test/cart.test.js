import { expect, test } from 'vitest';
import { total } from '../src/cart.js';

test('total', () => {
  expect(total(['cup', 'tea'])).toBe(13);
});
