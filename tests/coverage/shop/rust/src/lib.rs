pub mod cart;
pub mod gift;
pub mod menu;
pub mod price;
