const { lines } = require('../src/menu.js');

test('lines', () => {
  expect(lines()).toEqual(['cup', 'tea']);
});
