export const name = 'JSON alone'

export const operations = {
  decode: () => (text) => JSON.parse(text),
  strip: () => (text) => JSON.parse(text),
  defaults: () => (text) => JSON.parse(text),
  encode: () => (value) => JSON.stringify(value),
}

/** Validates nothing and drops no keys: the reference of those that do. */
export const checksNothing = true
