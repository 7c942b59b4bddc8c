import { expect, it } from 'vitest'
import { httpCaller, inMemoryCaller, sseCaller, stdioCaller } from '../../packages/runtime/src/mcp.js'

const url = 'http://127.0.0.1:1/mcp'
// `any`: JavaScript can pass values of any type.
const http = (options: any) => () => httpCaller({ url, ...options })
const stdio = (options: any) => () => stdioCaller({ command: 'server', ...options })

it.each<[string, () => unknown, typeof Error, string]>([
  ['no options', () => httpCaller(undefined as never), TypeError, '`options` must be an object with `url`, but is of'],
  [
    'no options',
    () => stdioCaller(null as never),
    TypeError,
    '`options` must be an object with `command`, but is null',
  ],
  ['no URL', () => sseCaller({} as never), TypeError, "`url` must be an http or https URL, but is 'undefined'"],
  ['a URL that is a number', http({ url: 8080 }), TypeError, "`url` must be an http or https URL, but is '8080'"],
  ['headers as a string', http({ headers: 'a: b' }), TypeError, '`headers` must be an object of strings, but is of'],
  ['headers as `Headers`', http({ headers: new Headers() }), TypeError, '`headers` must be an object of strings'],
  ['a header that is a number', http({ headers: { a: 1 } }), TypeError, '`headers` must be an object of strings'],
  [
    'no function as `fetch`',
    http({ fetch: 'fetch' }),
    TypeError,
    '`fetch` must be a function, but is of the type string',
  ],
  ['a token as `auth`', http({ auth: 'secret' }), TypeError, '`auth` must be created by `oauth(...)` or'],
  [
    'a text as a time limit',
    http({ timeoutMs: '5000' }),
    RangeError,
    'timeoutMs is "5000". Expected a positive number',
  ],
  ['no time', http({ timeoutMs: 0 }), RangeError, 'timeoutMs is 0. Expected a positive number of milliseconds'],
  ['a text as a time limit', http({ connectTimeoutMs: null }), RangeError, 'connectTimeoutMs is null. Expected'],
  ['a text as a size', http({ maxMessageBytes: '1' }), RangeError, 'maxMessageBytes must be a number of at least 1'],
  [
    'no size',
    http({ maxMessageBytes: Number.NaN }),
    RangeError,
    'maxMessageBytes must be a number of at least 1, but is NaN',
  ],
  [
    'a number of attempts',
    http({ reconnect: 3 }),
    TypeError,
    '`reconnect` must be an object, but is of the type number',
  ],
  ['no attempt', http({ reconnect: { attempts: 0 } }), RangeError, 'reconnect.attempts must be a number of at least 1'],
  [
    'a text',
    http({ reconnect: { attempts: '2' } }),
    RangeError,
    'reconnect.attempts must be a number of at least 1, but is "2"',
  ],
  ['a delay', http({ reconnect: { initialMs: -1 } }), RangeError, 'reconnect.initialMs must be a number of at least 0'],
  ['a delay', http({ reconnect: { maxMs: 'x' } }), RangeError, 'reconnect.maxMs must be a number of at least 0'],
  ['no listener', http({ onError: true }), TypeError, '`onError` must be a function, but is of the type boolean'],
  ['no function', http({ elicit: {} }), TypeError, '`elicit` must be a function, but is of the type object'],
  ['roots of texts', http({ roots: ['file:///'] }), TypeError, '`roots` must be an array of `{ uri }`'],
  ['a name', http({ client: 'shop' }), TypeError, '`client` must be `{ name, version }`, but is of the type string'],
  ['no command', stdio({ command: ' ' }), TypeError, '`command` must be a string with the program of the server'],
  ['a command as an array', stdio({ command: ['a'] }), TypeError, '`command` must be a string with the program'],
  [
    'arguments as a text',
    stdio({ args: '-y a' }),
    TypeError,
    '`args` must be an array of strings, but is of the type string',
  ],
  ['an environment of numbers', stdio({ env: { A: 1 } }), TypeError, '`env` must be an object of strings'],
  ['a folder', stdio({ cwd: 5 }), TypeError, '`cwd` must be a string, but is of the type number'],
  ['an unknown stream', stdio({ stderr: 'pipe' }), TypeError, "`stderr` must be 'ignore' or 'inherit'"],
  ['no server', () => inMemoryCaller({} as never), TypeError, '`server` must be a server with the method `connect`'],
])('a caller is not created with %s', (_, create, kind, message) => {
  expect(create).toThrow(kind)
  expect(create).toThrow(message)
})

it('callers accept options without limits and undefined options', () => {
  expect(() =>
    http({ timeoutMs: Number.POSITIVE_INFINITY, reconnect: { attempts: Number.POSITIVE_INFINITY } })(),
  ).not.toThrow()
  expect(() =>
    stdio({ env: { A: undefined }, onError: undefined, roots: () => [], maxMessageBytes: 100 })(),
  ).not.toThrow()
})
