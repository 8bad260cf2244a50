const { total } = require('../src/cart.js');

test('total', () => {
  expect(total(['cup', 'tea'])).toBe(13);
});
