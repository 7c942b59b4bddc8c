import { compiledModule } from '../compiled-modules.mjs'

const codecs = await compiledModule('toolgen')

export const name = 'toolgen'

export const operations = {
  validate: (shape) => {
    const codec = codecs[`${shape}PayloadCodec`]
    return (value) => codec.is(value)
  },
  decode: (shape) => decoding(codecs[`${shape}PayloadCodec`]),
  strip: (shape) => decoding(codecs[`${shape}ResultCodec`]),
  defaults: (shape) => decoding(codecs[`${shape}DefaultsPayloadCodec`]),
  issues: (shape) => {
    const codec = codecs[`${shape}PayloadCodec`]
    return (value) => {
      const result = codec.decodeValue(value)
      return result.ok ? [] : result.issues
    }
  },
  encode: (shape) => {
    const codec = codecs[`${shape}ResultCodec`]
    return (value) => codec.encode(value)
  },
}

export const pointers = (issue) => [issue.path]

function decoding(codec) {
  return (text) => {
    const result = codec.decode(text)
    return result.ok ? result.value : undefined
  }
}
