const { wrap } = require('./gift.js');
const { price } = require('./price.js');

function total(names, gift = false) {
  return names.reduce((sum, name) => sum + price(name), gift ? wrap() : 0);
}

module.exports = { total };
