function wrap() {
  return 2;
}

module.exports = { wrap };
