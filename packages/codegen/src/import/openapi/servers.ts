import { isObject, own } from '../../schema/json/json.js'
import type { SchemaObject } from '../../schema/json/json-schema.js'

/**
 * The address of the first server that an object names, with the defaults of its variables; `undefined` where it names none
 * that stands alone.
 *
 * @param base where the document is, for addresses relative to it
 */
export function serverOf(object: SchemaObject, base: string | undefined): string | undefined {
  const servers = own(object, 'servers')
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  const written = isObject(first) ? own(first, 'url') : undefined
  if (!isObject(first) || typeof written !== 'string') return undefined
  const said = own(first, 'variables')
  const variables = isObject(said) ? said : {}
  const filled = written.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = own(variables, name)
    const value = isObject(variable) ? own(variable, 'default') : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
  const isRelative = !URL.canParse(filled)
  if (isRelative ? !URL.canParse(filled, base) : false) return undefined
  const url = new URL(filled, base)
  // A name or a password in it would be checked in.
  const isUsable = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !/[{}]/.test(filled)
  return isUsable ? (isRelative ? url.href : filled).replace(/\/+$/, '') : undefined
}

/** Whether an object names servers of its own. */
export function namesServers(object: SchemaObject): boolean {
  const servers = own(object, 'servers')
  return Array.isArray(servers) && servers.length > 0
}
