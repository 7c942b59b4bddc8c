/** Values that JSON cannot represent but JavaScript can. Each function creates a new value. */
export const hostileValues: readonly ((suspension: object) => unknown)[] = [
  (suspension) => new Proxy(suspension, { get: () => fail(), has: () => fail(), ownKeys: () => fail() }),
  (suspension) => ({ ...suspension, toJSON: () => fail() }),
  (suspension) => ({ ...suspension, toJSON: () => undefined }),
  (suspension) => Object.assign({ ...suspension }, { progress: 1n }),
  (suspension) => {
    const cycle: Record<string, unknown> = { ...suspension }
    cycle.messages = [cycle]
    return cycle
  },
  (suspension) => Object.defineProperty({ ...suspension }, 'version', { get: () => fail(), enumerable: true }),
  (suspension) => Object.defineProperty({ ...suspension }, 'then', { value: () => fail(), enumerable: true }),
  () => () => undefined,
  () => Symbol('suspension'),
  () => Promise.resolve(undefined),
]

function fail(): never {
  throw new Error('hostile')
}
