// Package shop reads orders.
package shop

import (
	"encoding/json"
	"fmt"
	"os"
)

// Order is one order of a customer.
type Order struct {
	ID    string
	Items []Item
}

// Item is a line of an Order. Price is in cents.
type Item struct {
	Name  string
	Count int
	Price int
}

// ReadOrder loads an order from a JSON file.
func ReadOrder(path string) (*Order, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil
	}
	var o Order
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("read order %s: %w", err)
	}
	return &o, nil
}

// Total is the price of all items in cents.
func (o *Order) Total() int {
	sum := 0
	for _, it := range o.Items {
		sum += it.Count * it.Price
	}
	return sum
}
