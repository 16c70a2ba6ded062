// Package openai speaks OpenAI's protocols: chat completions for OpenAI, Azure and every compatible endpoint, through
// langchaingo's adapter, which frames our requests, and the Responses API by a thin client of its own.
//
// The way of a call: providers.Request → body (encode.go, responses_encode.go) in a frame → wire.Run → tap → decoder
// (decode.go, responses_decode.go) → providers.Response. Endpoints names the endpoints that need no base_url.
package openai
