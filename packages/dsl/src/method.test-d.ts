import { assertType, type Equal } from './equal.fixture.js'
import type { MethodPath, ToolsWithoutMethod } from './uses.js'

interface Client {
  readonly version: string
  readonly settings: { readonly dark: boolean }
  readonly customers: { retrieve(id: string): void; remove?(id: string): void }
  fetch(id: string): void
  cancel(id: string): void
}

// A valid path is unchanged. A wrong path becomes the possible paths, so that editors suggest them.
assertType<Equal<MethodPath<Client, 'fetch'>, 'fetch'>>()
assertType<Equal<MethodPath<Client, 'customers.remove'>, 'customers.remove'>>()
assertType<Equal<MethodPath<Client, ''>, 'fetch' | 'cancel'>>()
assertType<Equal<MethodPath<Client, 'version'>, 'fetch' | 'cancel'>>()
assertType<Equal<MethodPath<Client, 'customers'>, 'customers.retrieve' | 'customers.remove'>>()
assertType<Equal<MethodPath<Client, 'customers.'>, 'customers.retrieve' | 'customers.remove'>>()
assertType<Equal<MethodPath<Client, 'settings.dark'>, "there is no method at 'settings.'">>()
assertType<Equal<MethodPath<Client, 'a.b.c.d'>, 'fetch' | 'cancel'>>()
assertType<Equal<MethodPath<Client, string>, string>>()
assertType<Equal<MethodPath<any, 'a.b.c.d.e'>, 'a.b.c.d.e'>>()
assertType<Equal<MethodPath<unknown, 'a'>, 'a'>>()

assertType<Equal<ToolsWithoutMethod<Client, 'fetch' | 'version' | 'find'>, 'version' | 'find'>>()
assertType<Equal<ToolsWithoutMethod<any, 'find'>, never>>()
assertType<Equal<ToolsWithoutMethod<unknown, 'find'>, never>>()
assertType<Equal<ToolsWithoutMethod<Client, string>, never>>()
