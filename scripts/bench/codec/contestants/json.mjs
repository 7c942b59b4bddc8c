export const name = 'bare JSON'

export const operations = {
  decode: () => (text) => JSON.parse(text),
  strip: () => (text) => JSON.parse(text),
  defaults: () => (text) => JSON.parse(text),
  encode: () => (value) => JSON.stringify(value),
}

/** It checks and drops nothing, which is why it is the measure of those that do. */
export const checksNothing = true
