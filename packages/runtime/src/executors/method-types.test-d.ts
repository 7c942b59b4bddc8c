import type { Provenanced } from '../call/provenance.js'
import type { ClientOf, MethodArgs, MethodResult } from './method-types.js'

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
holds<Equal<MethodArgs<C['one']>, [a: string, b?: number | undefined]>>()
holds<Equal<MethodResult<C['one']>, number>>()
holds<Equal<MethodResult<() => Promise<Provenanced<string>>>, string>>()
holds<Equal<MethodResult<() => unknown>, unknown>>()
holds<Equal<MethodArgs<C['optional']>, [a: string]>>()
holds<Equal<MethodResult<C['optional']>, string>>()
holds<Equal<MethodResult<C['thenable']>, 'inside'>>()

holds<Equal<MethodArgs<C['overloaded']>, [callback: () => void]>>()
holds<Equal<MethodArgs<C['overloaded'], 1>, [a: 2, b: string]>>()
holds<Equal<MethodResult<C['overloaded'], 1>, 'second'>>()
holds<Equal<MethodArgs<C['overloaded'], 2>, [a: 1]>>()
holds<Equal<MethodResult<C['overloaded'], 2>, 'first'>>()
holds<Equal<MethodArgs<C['overloaded'], 7>, [a: 1]>>()

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
holds<Equal<MethodArgs<Many['m'], 0>, [a: 0]>>()
holds<Equal<MethodArgs<Many['m'], 7>, [a: 7]>>()
holds<Equal<MethodResult<Many['m'], 7>, 7>>()
