@cli
Feature: Pay
  Background:
    Given a shop
  Scenario Outline: pays
    Given a cart:
      """
      one
      """
    When one pays
      | a |
    Then a bill comes
    Examples:
      | n |
