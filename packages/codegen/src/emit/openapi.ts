import type { OpenApiSourceIr, SchemaObject, ToolsetIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { isObject } from '../schema/json-schema.js'
import { docComment, propertyNameText } from '../text.js'
import { toolsetModule } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'
import { block, functionHead, typedEntry } from './layout.js'

export const openApiRuntime = { specifier: '@toolgen/runtime/openapi' }

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
  })
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
