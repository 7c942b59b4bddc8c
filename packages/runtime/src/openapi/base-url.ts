/**
 * Why a text is no base URL: in words that end "baseUrl ..."; `undefined` where it is one. Without the text, which may hold a
 * secret.
 */
export function baseUrlFault(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be a whole address that begins with http:// or https://'
  }
  const { username, password } = new URL(text)
  // `fetch` takes no such address, and would quote it.
  if (username !== '' || password !== '') return 'must have no name and no password in it: give them as auth'
  return text.includes('#') ? 'must have no "#": no path can stand after it' : undefined
}
