import { expect, it, vi } from 'vitest'

it('compiles QuickJS once for all threads of the process', async () => {
  const compile = vi.spyOn(Reflect.get(globalThis, 'WebAssembly'), 'compile')
  // The module caches the compiled code.
  vi.resetModules()
  const { quickJsSandbox } = await import('./sandbox.js')
  for (const sandbox of [quickJsSandbox(), quickJsSandbox({ memoryMiB: 32 })]) await sandbox.close()
  await expect.poll(() => compile.mock.settledResults[0]?.type).toBe('fulfilled')
  expect(compile).toHaveBeenCalledOnce()
  compile.mockRestore()
})
