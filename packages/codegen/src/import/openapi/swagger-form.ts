import { objectFrom, own } from '../../schema/json/json.js'
import type { SchemaObject } from '../../schema/json/json-schema.js'

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** What a parameter says that is no part of its schema. */
const ofParameters: readonly string[] = ['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue']

/** How lists are written that are no repeated fields. Version 2 has a way that version 3 has no style for: `tsv`. */
const styles: Readonly<Record<string, string>> = {
  csv: 'form',
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
}

/** The body of version 3 for the parameters of a form of version 2; files go in a multipart body alone. */
export function swaggerForm(parameters: readonly SchemaObject[], consumes: readonly string[]): SchemaObject {
  const fields = new Map(parameters.map((parameter) => [String(own(parameter, 'name')), parameter] as const))
  const all = [...fields]
  const hasFile = all.some(([, parameter]) => own(parameter, 'type') === 'file')
  const isMultipart = hasFile || (consumes.includes(multipart) && !consumes.includes(form))
  const required = all.flatMap(([name, parameter]) => (own(parameter, 'required') === true ? [name] : []))
  const encoding = all.flatMap(([name, parameter]) => {
    const style =
      own(parameter, 'type') === 'array' ? styles[String(own(parameter, 'collectionFormat') ?? 'csv')] : undefined
    return style === undefined ? [] : [[name, { style, explode: false }] as const]
  })
  const schema = {
    type: 'object',
    properties: objectFrom(all.map(([name, parameter]) => [name, schemaOf(parameter)] as const)),
    ...(required.length > 0 && { required }),
  }
  const media = { schema, ...(encoding.length > 0 && { encoding: objectFrom(encoding) }) }
  return {
    ...(required.length > 0 && { required: true }),
    content: objectFrom([[isMultipart ? multipart : form, media] as const]),
  }
}

function schemaOf(parameter: SchemaObject): SchemaObject {
  return objectFrom(Object.entries(parameter).filter(([key]) => !ofParameters.includes(key)))
}
