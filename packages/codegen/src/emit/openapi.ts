import { elementAt } from '../defined.js'
import { claimMembers } from '../ir/names.js'
import type { OpenApiOperationIr, OpenApiSourceIr, SchemaObject, ToolIr, ToolsetIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { isObject } from '../schema/json-schema.js'
import { shapeOf } from '../schema/read-shape.js'
import { docComment, keyText, lineWidth, propertyNameText, stringText } from '../text.js'
import { acceptsNoArguments, checkMembers, toolOf, toolsetModule } from './design-queries.js'
import { type GeneratedFile, openApiRuntime } from './generated-file.js'
import { block, functionHead, typedEntry } from './layout.js'

export function toolsetOpenApi(toolset: ToolsetIr, source: OpenApiSourceIr, file: GeneratedFile): EmittedFile {
  const names = toolset.names.openapi
  const { server, security, operations } = source
  const needsBase = server === undefined && operations.some(({ operation }) => !Object.hasOwn(operation, 'server'))
  const operationEntries = operations.map(({ tool, operation }) => typedEntry(tool, operation, 4))
  return file.print('toolset-openapi', toolset.location, {
    api: {
      comment: docComment(`The operations of an HTTP API that serve \`${toolset.name}\`.`),
      name: names.api,
      type: file.type('ToolsetApi', openApiRuntime),
      entries: block(
        [
          `toolset: ${file.value(toolset.names.toolset, toolsetModule(toolset, 'index'))}`,
          ...(server === undefined ? [] : [typedEntry('server', server, 2)]),
          ...(security === undefined ? [] : [typedEntry('security', security, 2)]),
          `operations: ${block(operationEntries, 2)}`,
        ],
        0,
      ),
    },
    options: {
      comment: docComment(`Options of \`${names.executor}\`.`),
      name: names.options,
      extended: file.type('OpenApiExecutorOptions', openApiRuntime),
      members: [
        ...(needsBase
          ? [
              {
                comment: docComment('Base URL of the API, which the OpenAPI document does not declare.', 2),
                member: `readonly baseUrl: ${file.type('PerCall', openApiRuntime)}<string>`,
              },
            ]
          : []),
        authMember(security, file),
      ],
    },
    executor: {
      comment: docComment(`Returns an executor of \`${toolset.name}\` that sends requests to its HTTP API.`),
      head: functionHead(
        names.executor,
        [`options: ${names.options}${needsBase ? '' : ' = {}'}`],
        file.type('ToolExecutor'),
      ),
      make: file.value('openApiExecutor', openApiRuntime),
    },
    client: clientView(toolset, operations, needsBase, file),
  })
}

function clientView(
  toolset: ToolsetIr,
  operations: readonly OpenApiOperationIr[],
  needsBase: boolean,
  file: GeneratedFile,
): object {
  const names = toolset.names.openapi
  const checks = checkMembers(toolset.tools, file)
  const unused = operations.length === 0 ? '_' : ''
  const optional = needsBase || checks.length > 0 ? '' : ' = {}'
  const groups = methodGroups(operations)
  return {
    comment: docComment(
      `Client of the HTTP API of \`${toolset.name}\`, without an agent. A method returns \`data\` or \`error\`. It rejects if the arguments are invalid, or if there is no response.`,
    ),
    name: names.client,
    members: groups.flatMap(({ group, methods }) => {
      if (group === undefined) return methods.map((method) => memberText(method, toolset, 2, file))
      const members = methods.map((method) => `    ${memberText(method, toolset, 4, file)}\n`)
      return [`readonly ${propertyNameText(group)}: {\n${members.join('')}  }`]
    }),
    values: groups.flatMap(({ group, methods }) => {
      const values = methods.map((method) => valueText(method, toolset, file))
      return group === undefined ? values : [`${keyText(group)}: ${block(values, 4)}`]
    }),
    options: names.clientOptions,
    optionsComment: docComment(`Options of \`${names.newClient}\`.`),
    // `auth` and `baseUrl` have precise types in the options of the executor.
    extended: `${names.options}, ${file.type('ApiClientOptions', openApiRuntime)}`,
    checks,
    newComment: docComment(`Returns a client that sends requests to the HTTP API of \`${toolset.name}\`.`),
    head: functionHead(names.newClient, [`${unused}options: ${names.clientOptions}${optional}`], names.client),
    make: operations.length === 0 ? '' : file.value('apiClient', openApiRuntime),
  }
}

interface ClientMethod {
  readonly name: string
  readonly tool: string
}

/** The `operationId` `issues/create` or `issues.create` becomes the method `create` of the group `issues`. */
function methodGroups(
  operations: readonly OpenApiOperationIr[],
): readonly { readonly group?: string; readonly methods: readonly ClientMethod[] }[] {
  const flat: ClientMethod[] = []
  const groups = new Map<string, { readonly tool: string; readonly word: string }[]>()
  for (const { tool, id = '' } of operations) {
    const words = id.split(/[/.]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
    const word = words.pop() ?? ''
    if (words.length === 0) flat.push({ name: tool, tool })
    else groups.set(words.join(' '), [...(groups.get(words.join(' ')) ?? []), { tool, word }])
  }
  // An object with a method `then` would be a promise.
  const names = claimMembers([...groups.keys()], ['then', ...flat.map(({ name }) => name)])
  const grouped = [...groups.values()].map((members, index) => {
    const methods = claimMembers(
      members.map(({ word }) => word),
      ['then'],
    )
    return {
      group: elementAt(names, index),
      methods: members.map(({ tool }, position) => ({ name: elementAt(methods, position), tool })),
    }
  })
  return [...(flat.length === 0 ? [] : [{ methods: flat }]), ...grouped]
}

function memberText({ name, tool: toolName }: ClientMethod, toolset: ToolsetIr, indent: number, file: GeneratedFile) {
  const tool = toolOf(toolset, toolName)
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const isOptional = tool.serverOwned.length === 0 && acceptsNoArguments(tool, toolset)
  const parameters = [
    `args${isOptional ? '?' : ''}: ${argumentsType(tool, toolset, types)}`,
    `options?: ${file.type('ApiRequestOptions', openApiRuntime)}`,
  ]
  const results = [
    `${types}.${tool.names.result}`,
    ...(tool.names.errors === undefined ? [] : [`${types}.${tool.names.errors.type}`]),
  ]
  const start = `readonly ${propertyNameText(name)}: (`
  const end = `) => Promise<${file.type('ApiResult', openApiRuntime)}<${results.join(', ')}>>`
  const flat = `${start}${parameters.join(', ')}${end}`
  const margin = ' '.repeat(indent)
  const broken = `${start}\n${parameters.map((parameter) => `${margin}  ${parameter},\n`).join('')}${margin}${end}`
  return `${docComment(tool.description, indent)}\n${margin}${indent + flat.length <= lineWidth ? flat : broken}`
}

/** A client works without the runtime, so the type also contains the server-owned fields, which the runtime fills in tool calls. */
function argumentsType({ names, serverOwned, payload }: ToolIr, { defs }: ToolsetIr, types: string): string {
  const shape = shapeOf(payload, defs)
  const required = new Set(
    shape.kind === 'object' ? shape.fields.flatMap((field) => (field.required ? [field.name] : [])) : [],
  )
  const picked = [true, false].flatMap((isRequired) => {
    const fields = serverOwned.map(({ field }) => field).filter((field) => required.has(field) === isRequired)
    const pick = `Pick<${types}.${names.payload}, ${fields.map(stringText).join(' | ')}>`
    return fields.length === 0 ? [] : [isRequired ? pick : `Partial<${pick}>`]
  })
  return [`${types}.${names.arguments}`, ...picked].join(' & ')
}

function valueText({ name, tool }: ClientMethod, toolset: ToolsetIr, file: GeneratedFile): string {
  const { errors } = toolOf(toolset, tool).names
  const schemas =
    errors === undefined ? '' : `, ${file.values('codecs', toolsetModule(toolset, 'codecs'))}.${errors.schemas}`
  return `${keyText(name)}: method(${stringText(tool)}${schemas})`
}

function authMember(
  security: SchemaObject | undefined,
  file: GeneratedFile,
): { readonly comment: string; readonly member: string } {
  if (security === undefined) {
    // Without this member, the type would accept any credentials, and they would not be sent.
    return {
      comment: docComment('The API declares no credentials; send them with `headers`.', 2),
      member: 'readonly auth?: never',
    }
  }
  const perCall = file.type('PerCall', openApiRuntime)
  const members = Object.entries(security).map(([name, scheme]) => {
    const isBasic = isObject(scheme) && scheme.type === 'basic'
    const credential = isBasic ? file.type('BasicCredential', openApiRuntime) : 'string'
    return `    readonly ${propertyNameText(name)}?: ${perCall}<${credential} | undefined>\n`
  })
  return {
    comment: docComment('Credentials, by the names of the security schemes. Default: none are sent.', 2),
    member: `readonly auth?: {\n${members.join('')}  }`,
  }
}
