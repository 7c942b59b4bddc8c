import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

let validate: ValidateFunction | undefined

/** What is wrong with a command's JSON by the schema that the package ships; nothing where it is as documented. */
export function outputFaults(text: string): readonly string[] {
  validate ??= new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false }).compile(
    JSON.parse(readFileSync(new URL('../../packages/codegen/schemas/cli-output.schema.json', import.meta.url), 'utf8')),
  )
  validate(JSON.parse(text))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
