import { type Diagnostic, warning } from '../diagnostics/diagnostic.js'
import { objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { keyText } from '../text.js'

export type ServerReading =
  | { readonly server: string }
  /** End of a message: `... is not imported: <why>`. */
  | { readonly why: string }

/**
 * `bases` contains the URL of the document and the server of the document. OpenAPI requires the first base for a relative URL, but some authors mean
 * the second. If the results differ, returns a reason instead of a URL, because a wrong guess could send credentials to the wrong host.
 */
export function readServer(object: SchemaObject, bases: readonly string[]): ServerReading {
  const servers = own(object, 'servers')
  const first = objectOf(Array.isArray(servers) ? servers[0] : undefined)
  const url = own(first, 'url')
  if (typeof url !== 'string') return { why: 'its server has no `url`' }
  const variables = objectOf(own(first, 'variables'))
  const filled = url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = own(objectOf(own(variables, name)), 'default')
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
  const shown = `its server \`${url}\``
  if (/[{}]/.test(filled)) return { why: `${shown} has a variable without a default` }
  if (filled.includes('#')) return { why: `${shown} contains a \`#\`, so paths cannot be appended` }
  const isRelative = !URL.canParse(filled)
  const usable = isRelative ? bases.filter((base) => URL.canParse(filled, base)) : [undefined]
  const [address, ...others] = [...new Set(usable.map((base) => new URL(filled, base).href))]
  if (address === undefined) return { why: `${shown} is relative` }
  if (others.length > 0) return { why: `${shown} may be \`${[address, ...others].join('` or `')}\`` }
  const { protocol, username, password } = new URL(address)
  if (!/^https?:$/.test(protocol)) return { why: `${shown} does not use HTTP` }
  // The URL is rejected because it would be committed to version control.
  if (username !== '' || password !== '') return { why: 'the URL of its server contains credentials' }
  return { server: (isRelative ? address : filled).replace(/\/+$/, '') }
}

export function namesServers(object: SchemaObject): boolean {
  const servers = own(object, 'servers')
  return Array.isArray(servers) && servers.length > 0
}

export function noServer(
  toolset: string,
  problem: Extract<ServerReading, { readonly why: string }> | undefined,
): Diagnostic {
  const since = problem === undefined ? '' : `, because ${problem.why}`
  return warning(
    'TG6207',
    `The URL of the API is unknown${since}: applications must set \`baseUrl\`.`,
    `Set it where you register the agent: \`toolsets: { ${keyText(toolset)}: { baseUrl: 'https://api.example.com' } }\`. Or add a server with an absolute URL to \`servers\` of the document, and import again.`,
  )
}
