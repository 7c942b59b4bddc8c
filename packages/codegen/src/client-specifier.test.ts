import { expect, it } from 'vitest'
import { clientSpecifier } from './plan-output.js'

const config = { output: 'src/gen', importExtension: '.js', importMap: {} } as const
const from = 'agents/support/orders.service.ts'

it.each([
  ['design/clients.ts', '.js', '../../../../design/clients.js'],
  ['design/clients.ts', '.ts', '../../../../design/clients.ts'],
  ['design/clients.ts', '', '../../../../design/clients'],
  ['design/clients.mts', '.js', '../../../../design/clients.mjs'],
  ['design/clients.mts', '', '../../../../design/clients.mjs'],
  ['design/clients.cts', '.js', '../../../../design/clients.cjs'],
  ['src/clients.ts', '.js', '../../../clients.js'],
  ['../shared/clients.js', '.js', '../../../../../shared/clients.js'],
] as const)('%s with extension %j is imported as %s', (module, importExtension, specifier) => {
  expect(clientSpecifier({ ...config, importExtension }, module, from)).toBe(specifier)
})

it('takes the specifier of the import map, and nothing that an object has by itself', () => {
  const importMap = { 'design/clients.ts': '@acme/design/clients' }
  expect(clientSpecifier({ ...config, importMap }, 'design/clients.ts', from)).toBe('@acme/design/clients')
  expect(clientSpecifier(config, 'constructor', from)).toBe('../../../../constructor')
})
