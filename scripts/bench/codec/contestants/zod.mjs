import { z } from 'zod'
import { noteDefault, zodFormats, zodSchemas } from './zod-schemas.mjs'

const strict = zodSchemas({ object: z.strictObject, formats: zodFormats })
const completing = zodSchemas({ object: z.strictObject, formats: zodFormats, note: noteDefault })
const stripping = zodSchemas({ object: z.object, formats: zodFormats })

export const name = 'zod 4'

export const operations = {
  validate: (shape) => {
    const schema = strict[shape]
    return (value) => schema.safeParse(value).success
  },
  decode: (shape) => parsed(strict[shape]),
  strip: (shape) => parsed(stripping[shape]),
  defaults: (shape) => parsed(completing[shape]),
  issues: (shape) => {
    const schema = strict[shape]
    return (value) => schema.safeParse(value).error?.issues ?? []
  },
}

/** Zod reports all unknown keys of an object in one issue. */
export const pointers = (issue) => {
  const path = issue.path.map((key) => `/${String(key)}`).join('')
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => `${path}/${key}`) : [path]
}

function parsed(schema) {
  return (text) => {
    const result = schema.safeParse(JSON.parse(text))
    return result.success ? result.data : undefined
  }
}
