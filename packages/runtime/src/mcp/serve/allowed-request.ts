import type { IncomingHttpHeaders } from 'node:http'
import type { HttpListenOptions } from './serve-options.js'

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Says why a request is refused, or nothing. A web page under a name that was made to point to this machine gives itself away
 * by `Host` and `Origin`; programs send no `Origin`.
 *
 * @throws {TypeError} when the server would listen to other machines and no hosts are named.
 */
export function refusalOf({
  host = '127.0.0.1',
  allowedHosts,
  allowedOrigins,
}: HttpListenOptions): (headers: IncomingHttpHeaders) => string | undefined {
  if (allowedHosts === undefined && !LOOPBACK.includes(host) && host !== '::1') {
    throw new TypeError(`serveMcp: the host '${host}' can be reached by others: say in allowedHosts under which names`)
  }
  const hosts = allowedHosts ?? LOOPBACK
  return ({ host: named, origin }) => {
    if (named === undefined || !hosts.includes(hostnameOf(`http://${named}`) ?? '')) return 'this host is not served'
    if (origin === undefined) return undefined
    const isAllowed = allowedOrigins?.includes(origin) ?? LOOPBACK.includes(hostnameOf(origin) ?? '')
    return isAllowed ? undefined : 'this origin is not served'
  }
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}
