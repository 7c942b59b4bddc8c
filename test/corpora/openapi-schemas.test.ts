import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { counted, type Imported, imported } from './imported.fixture.js'

interface OpenApiDocument {
  readonly openapi: string
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** The schemas of a document's components, each with the components to which it refers. */
function schemasOf(file: string) {
  const { openapi, components }: OpenApiDocument = JSON.parse(
    readFileSync(join(dataFolder() ?? '', 'openapi', file), 'utf8'),
  )
  const names = Object.keys(components.schemas)
  const all = names.map((name) => imported({ $ref: `#/components/schemas/${name}`, components }, 'output'))
  return { openapi, names, all, codes: counted(all.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))) }
}

/** The fields of the one definition to which a schema refers. */
function fieldsOf(schema: Imported | undefined): Readonly<Record<string, unknown>> {
  const [definition] = Object.values(Object(Object(schema?.schema).$defs))
  return Object(Object(definition).properties)
}

describe.skipIf(!hasData)('schema objects of OpenAPI (needs the data folder)', () => {
  it('3.0 are all imported: 45 of Twilio Verify, whose 142 nullable places take null', () => {
    const { openapi, names, all, codes } = schemasOf('twilio_verify_v2.json')
    expect([openapi, all.length, codes]).toEqual(['3.0.1', 45, { TG3035: 142 }])
    const { sid, date_created } = fieldsOf(all[names.indexOf('verify.v2.service')])
    expect(sid).toMatchObject({ type: ['string', 'null'], minLength: 34 })
    expect(date_created).toMatchObject({ type: ['string', 'null'], format: 'date-time' })
  })

  it('3.1 are all imported as they are: 9 of Notion', () => {
    const { openapi, all, codes } = schemasOf('notion.json')
    expect([openapi, all.length, codes]).toEqual(['3.1.0', 9, {}])
  })
})
