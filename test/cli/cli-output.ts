import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

let validate: ValidateFunction | undefined

/** Returns the errors of a command's JSON output against the schema of the package. Returns an empty array for valid output. */
export function outputFaults(text: string): readonly string[] {
  validate ??= new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false }).compile(
    JSON.parse(readFileSync(new URL('../../packages/codegen/schemas/cli-output.schema.json', import.meta.url), 'utf8')),
  )
  validate(JSON.parse(text))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
