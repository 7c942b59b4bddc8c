import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { jsonSchemas } from './json-schemas.mjs'

export const name = 'ajv 8'

export const operations = {
  validate: (shape) => compiled(shape, {}),
  decode: (shape) => {
    const validate = compiled(shape, {})
    return (text) => {
      const value = JSON.parse(text)
      return validate(value) ? value : undefined
    }
  },
  strip: (shape) => {
    const validate = compiled(shape, { removeAdditional: true })
    return (text) => {
      const value = JSON.parse(text)
      return validate(value) ? value : undefined
    }
  },
  issues: (shape) => {
    const validate = compiled(shape, { allErrors: true })
    return (value) => (validate(value) ? [] : validate.errors)
  },
}

export const pointers = ({ instancePath, params }) => {
  const key = params.missingProperty ?? params.additionalProperty
  return [key === undefined ? instancePath : `${instancePath}/${key}`]
}

function compiled(shape, options) {
  const ajv = new Ajv2020({ discriminator: true, ...options })
  addFormats.default(ajv)
  return ajv.compile(jsonSchemas()[shape])
}
