import { vendors } from '../vendor-forms/vendor-form.js'
import { type FieldsReading, isWholeNumber, oneOf, readFields } from './nested-fields.js'
import { encodings, type TokensConfig } from './tokens-config.js'

/** Checks what the configuration says of `toolgen tokens`. */
export function readTokensConfig(value: unknown): FieldsReading<TokensConfig> {
  const number = { expected: 'a whole number, 0 or more', test: isWholeNumber }
  return readFields(value, 'tokens', {
    encoding: { expected: encodings.map((name) => `'${name}'`).join(' or '), test: oneOf(encodings) },
    as: { expected: vendors.map((name) => `'${name}'`).join(' or '), test: oneOf(vendors) },
    perTool: number,
    perAgent: number,
  })
}
