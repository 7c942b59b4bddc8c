import type { Provenanced } from '../call/provenance.js'
import type { Args, ClientOf, Overloads8, Result } from './service-executor.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Truth extends true>(): Truth | undefined => undefined

interface Client {
  one(a: string, b?: number): Promise<number>
  optional?(a: string): string
  overloaded(a: 1): Promise<'first'>
  overloaded(a: 2, b: string): Promise<'second'>
  overloaded(callback: () => void): void
  thenable(): { then(resolve: (value: 'inside') => void): void }
}
declare const placeholder: { readonly '~toolgen': 'client'; readonly '~client'?: Client }

type C = ClientOf<typeof placeholder>
holds<Equal<C, Client>>()
holds<Equal<Args<C['one']>, [a: string, b?: number | undefined]>>()
holds<Equal<Result<C['one']>, number>>()
holds<Equal<Result<() => Promise<Provenanced<string>>>, string>>()
holds<Equal<Result<() => unknown>, unknown>>()
holds<Equal<Args<C['optional']>, [a: string]>>()
holds<Equal<Result<C['optional']>, string>>()
holds<Equal<Result<C['thenable']>, 'inside'>>()

holds<Equal<Args<C['overloaded']>, [callback: () => void]>>()
holds<Equal<Args<C['overloaded'], 1>, [a: 2, b: string]>>()
holds<Equal<Result<C['overloaded'], 1>, 'second'>>()
holds<Equal<Args<C['overloaded'], 2>, [a: 1]>>()
holds<Equal<Result<C['overloaded'], 2>, 'first'>>()
holds<Equal<Overloads8<C['overloaded']>[7]['args'], [a: 1]>>()

interface Many {
  m(a: 9): 9
  m(a: 8): 8
  m(a: 7): 7
  m(a: 6): 6
  m(a: 5): 5
  m(a: 4): 4
  m(a: 3): 3
  m(a: 2): 2
  m(a: 1): 1
  m(a: 0): 0
}
holds<Equal<Args<Many['m'], 0>, [a: 0]>>()
holds<Equal<Args<Many['m'], 7>, [a: 7]>>()
holds<Equal<Result<Many['m'], 7>, 7>>()
