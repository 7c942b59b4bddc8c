import type { OpenApiSourceIr, SchemaObject, ToolsetIr } from '../ir/types.js'
import { isObject } from '../schema/json/json.js'
import { docComment } from '../text/doc-comment.js'
import { propertyNameText } from '../text/literal.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './import-set.js'
import { openApiRuntime } from './openapi-module.js'
import { block } from './schema-text.js'
import { typedEntry } from './typed-entry.js'

/** What `toolset-openapi.hbs` shows. */
export interface ToolsetOpenApiView {
  readonly header: string
  readonly imports: string
  readonly api: { readonly comment: string; readonly name: string; readonly type: string; readonly entries: string }
  readonly options: {
    readonly comment: string
    readonly name: string
    readonly extended: string
    readonly members: readonly { readonly comment: string; readonly member: string }[]
  }
  readonly executor: { readonly comment: string; readonly head: string; readonly make: string }
}

/** How an HTTP API serves a toolset: a table of its operations, and the executor that sends their requests. */
export function toolsetOpenApiView(
  toolset: ToolsetIr,
  source: OpenApiSourceIr,
  file: ImportingFile,
): ToolsetOpenApiView {
  const imports = importSet(file)
  const names = toolset.names.openapi
  const { server, security, operations } = source
  const needsBase = server === undefined && operations.some(({ operation }) => !Object.hasOwn(operation, 'server'))
  return {
    api: {
      comment: docComment(`How \`${toolset.name}\` is served by an HTTP API.`, 0),
      name: names.api,
      type: imports.type(openApiRuntime, 'ToolsetApi'),
      entries: block(
        [
          `toolset: ${imports.value({ generated: `toolsets/${toolset.names.folder}/index` }, toolset.names.toolset)}`,
          ...(server === undefined ? [] : [typedEntry('server', server, 2)]),
          ...(security === undefined ? [] : [typedEntry('security', security, 2)]),
          `operations: ${block(
            operations.map(({ tool, operation }) => typedEntry(tool, operation, 4)),
            2,
          )}`,
        ],
        0,
      ),
    },
    options: {
      comment: docComment(`How the API of \`${toolset.name}\` is reached, and who asks.`, 0),
      name: names.options,
      extended: imports.type(openApiRuntime, 'OpenApiExecutorOptions'),
      members: [
        ...(needsBase ? [baseUrl(imports)] : []),
        security === undefined ? noAuth : authMember(security, imports),
      ],
    },
    executor: {
      comment: docComment(`Serves \`${toolset.name}\` through its HTTP API.`, 0),
      head: functionHead(
        names.executor,
        [`options: ${names.options}${needsBase ? '' : ' = {}'}`],
        imports.type(runtimeModule, 'ToolExecutor'),
      ),
      make: imports.value(openApiRuntime, 'openApiExecutor'),
    },
    header: header(toolset.place),
    imports: imports.text(),
  }
}

/** Without it any credentials would be taken, and none be sent. */
const noAuth: ToolsetOpenApiView['options']['members'][number] = {
  comment: docComment('No operation says how credentials are sent; `headers` can send them.', 2),
  member: 'readonly auth?: never',
}

function baseUrl(imports: ImportSet): ToolsetOpenApiView['options']['members'][number] {
  return {
    comment: docComment('Where the API is: its document does not say so.', 2),
    member: `readonly baseUrl: ${imports.type(openApiRuntime, 'PerCall')}<string>`,
  }
}

function authMember(security: SchemaObject, imports: ImportSet): ToolsetOpenApiView['options']['members'][number] {
  const perCall = imports.type(openApiRuntime, 'PerCall')
  const members = Object.entries(security).map(([name, scheme]) => {
    const isBasic = isObject(scheme) && scheme.type === 'basic'
    const credential = isBasic ? imports.type(openApiRuntime, 'BasicCredential') : 'string'
    return `    readonly ${propertyNameText(name)}?: ${perCall}<${credential} | undefined>\n`
  })
  return {
    comment: docComment('The credentials, by the way in which they are sent. Default: none are sent.', 2),
    member: `readonly auth?: {\n${members.join('')}  }`,
  }
}
