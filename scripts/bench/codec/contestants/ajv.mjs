import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { jsonSchemas } from './json-schemas.mjs'

export const name = 'ajv 8'

export const operations = {
  validate: (shape) => compiled(shape, {}),
  decode: (shape) => parsed(compiled(shape, {})),
  strip: (shape) => parsed(compiled(shape, { removeAdditional: true })),
  defaults: (shape) => parsed(compiled(shape, { useDefaults: true }, { default: '' })),
  issues: (shape) => {
    const validate = compiled(shape, { allErrors: true })
    return (value) => (validate(value) ? [] : validate.errors)
  },
}

export const pointers = ({ instancePath, params }) => {
  const key = params.missingProperty ?? params.additionalProperty
  return [key === undefined ? instancePath : `${instancePath}/${key}`]
}

function parsed(validate) {
  return (text) => {
    const value = JSON.parse(text)
    return validate(value) ? value : undefined
  }
}

function compiled(shape, options, note) {
  const ajv = new Ajv2020({ discriminator: true, ...options })
  addFormats.default(ajv)
  return ajv.compile(jsonSchemas(note)[shape])
}
