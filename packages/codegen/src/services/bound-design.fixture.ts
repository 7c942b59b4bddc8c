import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ToolsetNames } from '../ir/identifiers.js'
import type { DesignIr, Json, Schema, ToolIr } from '../ir/types.js'
import type { ServiceToolIr } from '../ir/uses.js'

export interface ToolCase {
  readonly payload: Schema
  readonly result: Schema
  readonly method?: string
  readonly rename?: Readonly<Record<string, string>>
  readonly constants?: Readonly<Record<string, Json>>
  readonly answer?: 'data' | 'checked' | 'checked data'
  readonly updates?: Schema
  readonly collect?: 'list' | 'last'
}

export function projectWith(files: Readonly<Record<string, string>>, root?: string): string {
  const folder = root ?? mkdtempSync(join(tmpdir(), 'toolgen-service-'))
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

/** Returns the text of a module that exports one client. `types` contains the declaration of the client's type. */
export function clientModule(types: string): string {
  return `interface ServiceClient<Client> { readonly '~toolgen': 'client'; readonly '~client'?: Client }
declare function serviceClient<Client>(): ServiceClient<Client>
export const client: ServiceClient<Client> = serviceClient<Client>()
${types}
`
}

const location = { file: 'design.ts', line: 1, column: 1 }

export function designWith(
  tools: Readonly<Record<string, ToolCase>>,
  defs: Readonly<Record<string, Schema>> = {},
  client: { readonly module: string; readonly path: readonly string[] } = { module: 'client.ts', path: ['client'] },
): DesignIr {
  const entries = Object.entries(tools)
  return {
    contract: 1,
    toolsets: [
      {
        name: 'zoo',
        description: 'A toolset.',
        namespace: 'default',
        defs,
        tools: entries.map(([name, tool]) => toolOf(name, tool)),
        names: {
          folder: 'zoo',
          descriptor: 'zoo',
          specs: 'zooSpecs',
          toolset: 'zooToolset',
          mcp: { import: '', executor: '', client: '', clientOptions: '', newClient: '' },
          openapi: { api: '', executor: '', options: '', client: '', clientOptions: '', newClient: '' },
          defs: definitionNames(defs),
        },
        location,
      },
    ],
    agents: [
      {
        name: 'keeper',
        description: 'An agent.',
        uses: [
          {
            provider: 'service',
            toolset: 'zoo',
            as: 'zoo',
            client,
            tools: entries.map(([name, tool], index) => boundOf(name, tool, index + 1)),
            names: {
              file: 'zoo.service',
              use: 'keeperZooUse',
              client: 'KeeperZooClient',
              executor: 'newKeeperZooServiceExecutor',
              executorOptions: 'KeeperZooServiceExecutorOptions',
              registration: 'newKeeperZooToolsetRegistration',
              registrationOptions: 'KeeperZooToolsetRegistrationOptions',
              env: 'KeeperZooEnv',
            },
            location,
          },
        ],
        exports: [],
        names: {
          folder: 'keeper',
          descriptor: 'keeperAgent',
          register: 'registerKeeper',
          binding: 'KeeperBinding',
          builder: 'newKeeperAgent',
          bareBuilder: 'newBareKeeperAgent',
          tools: 'KeeperTools',
          env: 'KeeperEnv',
        },
        location,
      },
    ],
  }
}

function definitionNames(defs: Readonly<Record<string, Schema>>): ToolsetNames['defs'] {
  return Object.fromEntries(
    Object.keys(defs).map((name) => [name, { sent: name, read: `${name}Read`, schema: `${name.toLowerCase()}Schema` }]),
  )
}

function toolOf(name: string, { payload, result, updates }: ToolCase): ToolIr {
  const stem = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return {
    name,
    id: `zoo.${name}`,
    title: name,
    description: 'A tool.',
    arguments: payload,
    payload,
    result,
    ...(updates === undefined ? {} : { updates }),
    serverOwned: [],
    examples: [],
    tags: [],
    annotations: {},
    toolName: `zoo_${name}`,
    needsCheck: false,
    hash: '0000000000000000',
    names: {
      arguments: `${stem}Arguments`,
      payload: `${stem}Payload`,
      result: `${stem}Result`,
      update: `${stem}Update`,
      payloadCodec: `${name}PayloadCodec`,
      resultCodec: `${name}ResultCodec`,
      updateCodec: `${name}UpdateCodec`,
      spec: `${name}Spec`,
      call: `new${stem}Call`,
    },
    location,
  }
}

function boundOf(name: string, tool: ToolCase, line: number): ServiceToolIr {
  return {
    tool: name,
    toolName: `zoo_${name}`,
    method: tool.method ?? name,
    rename: tool.rename ?? {},
    constants: tool.constants ?? {},
    result: {
      ...(tool.answer?.endsWith('data') && { from: 'data' }),
      checked: tool.answer?.startsWith('checked') ?? false,
    },
    ...(tool.collect === undefined ? {} : { collect: tool.collect }),
    location: { ...location, line },
  }
}

/** Returns an object schema. A question mark at the end of a key makes the field optional. */
export function object(fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace(/\?$/, ''), schema])),
    required: entries.map(([key]) => key).filter((key) => !key.endsWith('?')),
    additionalProperties: false,
  }
}

/** Returns an object schema without `additionalProperties`. */
export function silent(fields: Readonly<Record<string, Schema>>): Schema {
  const { additionalProperties: _, ...schema } = Object(object(fields))
  return schema
}

export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas }
}

export const string: Schema = { type: 'string' }
export const number: Schema = { type: 'number' }
export const integer: Schema = { type: 'integer' }
export const boolean: Schema = { type: 'boolean' }
export const nil: Schema = { type: 'null' }
export const dateTime: Schema = { type: 'string', format: 'date-time' }
export const date: Schema = { type: 'string', format: 'date' }
export const uri: Schema = { type: 'string', format: 'uri' }
export const base64: Schema = { type: 'string', contentEncoding: 'base64' }
export const typedDate: Schema = { type: 'string', format: 'date-time', 'x-js': 'Date' }
export const typedBigint: Schema = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', 'x-js': 'bigint' }
export const typedBytes: Schema = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }

export function list(items: Schema): Schema {
  return { type: 'array', items }
}

export function map(values: Schema): Schema {
  return { type: 'object', additionalProperties: values }
}

export function oneOf(...values: readonly Json[]): Schema {
  return { enum: values }
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, nil] }
}
