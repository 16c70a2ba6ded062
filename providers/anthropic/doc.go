// Package anthropic speaks Anthropic's Messages API by a thin client of its own, which is also a langchaingo llms.Model.
//
// The way of a call: providers.Request → body (encode.go) → wire.Run → tap → decoder (decode.go), block by block →
// providers.Response. Thinking blocks and blocks that are not known are kept as they came and sent back unchanged.
package anthropic
