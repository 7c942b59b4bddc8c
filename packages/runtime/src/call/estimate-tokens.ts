/** Estimates the number of tokens of a text for a model: one token per four characters. Tokenizers of models count differently. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
