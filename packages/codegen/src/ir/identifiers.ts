import { camel } from './letter-case.js'
import { reservedNames } from './reserved-names.js'

type Names<Key extends string> = { readonly [Name in Key]: string }

export interface ToolsetNames extends Names<'folder' | 'descriptor' | 'specs' | 'toolset'> {
  readonly mcp: McpNames
  readonly openapi: OpenApiNames
  /**
   * `sent` is the type of values that the application passes, and `read` is the type of decoded values. Both are the same identifier if the types are
   * equal.
   */
  readonly defs: Readonly<Record<string, Names<'sent' | 'read' | 'schema'>>>
  readonly failures?: Readonly<Record<string, FailureNames>>
}

export type McpNames = Names<'import' | 'executor' | 'client' | 'clientOptions' | 'newClient'>

export type OpenApiNames = Names<'api' | 'executor' | 'options' | 'client' | 'clientOptions' | 'newClient'>

export type ToolNames = Names<
  'arguments' | 'payload' | 'result' | 'update' | 'payloadCodec' | 'resultCodec' | 'updateCodec' | 'spec' | 'call'
> & {
  readonly errors?: ErrorNames
  readonly failures?: Names<'type'>
}

export type FailureNames = Names<'create' | 'data' | 'codec'>

export type ErrorNames = Names<'type' | 'schemas'>

/** `env` is a type parameter for the requirements of layers and hooks. */
export type AgentNames = Names<
  'folder' | 'descriptor' | 'register' | 'binding' | 'builder' | 'bareBuilder' | 'tools' | 'env'
>

/** `file` has no extension (`orders.service`), and `env` is a type parameter for the requirements of layers. */
export type UseNames = PlainUseNames & Names<'client' | 'executor' | 'executorOptions'>

export type PlainUseNames = Names<'file' | 'use' | 'registration' | 'registrationOptions' | 'env'>

/** `agentEnv` is a type parameter for the requirements of the agent that runs the tools. */
export type AgentUseNames = Names<'use' | 'env' | 'agentEnv'>

export type McpUseNames = PlainUseNames & Names<'mcpExecutor' | 'mcpImport'>

export type ExportNames = Names<'file' | 'export' | 'registration' | 'registrationOptions'>

/** `file` has no suffix yet: `orders` later becomes `orders.service`. */
export type AnyUseNames = UseNames & AgentUseNames & McpUseNames

/** Example: the pattern `newNameCall` and the stem `GetOrder` give `newGetOrderCall`. */
function identifiers<Key extends string>(patterns: Readonly<Record<Key, string>>): (stem: string) => Names<Key> {
  const entries = Object.entries<string>(patterns)
  return (stem) => {
    const made = entries.map(([key, pattern]) => {
      const identifier = pattern.replace(/^name|Name/, (word) => (word === 'Name' ? stem : camel(stem)))
      return [key, reservedNames.has(identifier) ? `${identifier}_` : identifier]
    })
    return Object.fromEntries(made) as Record<Key, string>
  }
}

export const toolsetIdentifiers: (stem: string) => Names<'descriptor' | 'specs' | 'toolset'> = identifiers({
  descriptor: 'name',
  specs: 'nameSpecs',
  toolset: 'nameToolset',
})

export const mcpIdentifiers: (stem: string) => McpNames = identifiers({
  import: 'nameMcp',
  executor: 'newNameMcpExecutor',
  client: 'NameClient',
  clientOptions: 'NameClientOptions',
  newClient: 'newNameClient',
})

export const openApiIdentifiers: (stem: string) => OpenApiNames = identifiers({
  api: 'nameApi',
  executor: 'newNameApiExecutor',
  options: 'NameApiOptions',
  client: 'NameClient',
  clientOptions: 'NameClientOptions',
  newClient: 'newNameClient',
})

export const toolIdentifiers: (stem: string) => Omit<ToolNames, 'errors' | 'failures'> = identifiers({
  arguments: 'NameArguments',
  payload: 'NamePayload',
  result: 'NameResult',
  update: 'NameUpdate',
  payloadCodec: 'namePayloadCodec',
  resultCodec: 'nameResultCodec',
  updateCodec: 'nameUpdateCodec',
  spec: 'nameSpec',
  call: 'newNameCall',
})

export const errorIdentifiers: (stem: string) => ErrorNames = identifiers({
  type: 'NameError',
  schemas: 'nameErrors',
})

export const failuresIdentifiers: (stem: string) => Names<'type'> = identifiers({ type: 'NameFailure' })

export const failureIdentifiers: (stem: string) => FailureNames = identifiers({
  create: 'name',
  data: 'NameData',
  codec: 'nameDataCodec',
})

export const defIdentifiers: (stem: string) => Names<'sent' | 'read' | 'schema'> = identifiers({
  sent: 'Name',
  read: 'NameRead',
  schema: 'nameSchema',
})

export const agentIdentifiers: (stem: string) => Omit<AgentNames, 'folder'> = identifiers({
  descriptor: 'nameAgent',
  register: 'registerName',
  binding: 'NameBinding',
  builder: 'newNameAgent',
  bareBuilder: 'newBareNameAgent',
  tools: 'NameTools',
  env: 'NameEnv',
})

export const useIdentifiers: (stem: string) => Omit<AnyUseNames, 'file'> = identifiers({
  use: 'nameUse',
  client: 'NameClient',
  executor: 'newNameServiceExecutor',
  executorOptions: 'NameServiceExecutorOptions',
  registration: 'newNameToolsetRegistration',
  registrationOptions: 'NameToolsetRegistrationOptions',
  env: 'NameEnv',
  agentEnv: 'NameAgentEnv',
  mcpExecutor: 'newNameMcpExecutor',
  mcpImport: 'nameMcp',
})

export const exportIdentifiers: (stem: string) => Omit<ExportNames, 'file'> = identifiers({
  export: 'nameExport',
  registration: 'newNameToolsetRegistration',
  registrationOptions: 'NameToolsetRegistrationOptions',
})
