import { unusableArgument } from './conversion-failure.js'

/**
 * A URI as a `URL`.
 *
 * @throws {ToolFailure} `domain_rejection` for a URI that is not a URL.
 */
export function stringToUrl(text: string): URL {
  if (!URL.canParse(text)) throw unusableArgument('A URL')
  return new URL(text)
}

/** The text of a `URL`; a string passes unchanged. */
export function urlToString(value: URL | string): string {
  return typeof value === 'string' ? value : value.href
}
