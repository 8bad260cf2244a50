import { expect, test } from 'vitest';
import { lines } from '../src/menu.js';

test('lines', () => {
  expect(lines()).toEqual(['cup', 'tea']);
});
