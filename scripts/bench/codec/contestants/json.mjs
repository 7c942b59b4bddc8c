export const name = 'JSON alone'

export const operations = {
  decode: () => (text) => JSON.parse(text),
  strip: () => (text) => JSON.parse(text),
  defaults: () => (text) => JSON.parse(text),
  encode: () => (value) => JSON.stringify(value),
}

/** True if the contestant validates nothing and keeps unknown keys. Other contestants are compared with it. */
export const checksNothing = true
