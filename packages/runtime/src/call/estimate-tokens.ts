/** For JSON and English text, the estimate usually differs from a model's tokenizer by less than 25 %. */
export function estimateTokens(text: string): number {
  return Math.ceil(tokenHundredths(text) / 100)
}

/** Upper bound of {@link tokenHundredths} for one UTF-16 code unit. */
export const MAX_TOKEN_HUNDREDTHS = 80

/** The result is an integer, so that the estimate of a text is exactly the sum of the estimates of its parts. */
export function tokenHundredths(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    // The weights are fitted to o200k_base, on tool definitions, results of MCP servers and database rows.
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) sum += 15
    else if (code >= 48 && code <= 57) sum += 80
    else if (code === 32) sum += 35
    else if (code < 0x80) sum += 50
    else sum += code < 0x800 ? 45 : 75
  }
  return sum
}
