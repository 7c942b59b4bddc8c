import { expectTypeOf, it } from 'vitest'
import type { ApiErrors, ApiResult } from '../openapi.js'

interface Invalid {
  readonly errors: readonly string[]
}

it('narrows the body of an error by its status', () => {
  const check = (error: ApiErrors<{ '404': { reason: string }; '422': Invalid; '5XX': string }>) => {
    if (error.status === 404) expectTypeOf(error.body).toEqualTypeOf<{ reason: string }>()
    if (error.status === 422) expectTypeOf(error.body.errors).toEqualTypeOf<readonly string[]>()
    if (error.status === 503) expectTypeOf(error.body).toEqualTypeOf<string>()
    if (error.status === 409) expectTypeOf(error.body).toEqualTypeOf<unknown>()
    if (error.status === undefined) expectTypeOf(error.body).toEqualTypeOf<unknown>()
    expectTypeOf(error.response.status).toEqualTypeOf<number>()
    // @ts-expect-error: no response has this status
    if (error.status === 200) return
  }
  expectTypeOf(check).toBeFunction()
})

it('gives all other statuses the body of `default`', () => {
  const check = (error: ApiErrors<{ readonly 404: 'gone'; readonly default: 'other' }>) => {
    if (error.status === 404) expectTypeOf(error.body).toEqualTypeOf<'gone'>()
    else if (error.status !== undefined) expectTypeOf(error.body).toEqualTypeOf<'other'>()
  }
  expectTypeOf(check).toBeFunction()
})

it('has data or an error', () => {
  const check = ({ data, error }: ApiResult<number>) => {
    if (error === undefined) expectTypeOf(data).toEqualTypeOf<number>()
    else if (error.status === 500) expectTypeOf(error.body).toEqualTypeOf<unknown>()
  }
  expectTypeOf(check).toBeFunction()
})
