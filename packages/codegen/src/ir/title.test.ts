import { expect, it } from 'vitest'
import { titleOf } from './letter-case.js'

it.each([
  ['getOrder', 'Get order'],
  ['get_order', 'Get order'],
  ['get-order', 'Get order'],
  ['parseURLPath', 'Parse URL path'],
  ['listTop10', 'List top10'],
  ['HTTPGet', 'HTTP get'],
  ['X', 'X'],
  ['búscarPedido', 'Búscar pedido'],
  ['__', '__'],
])('%s is titled %s', (name, title) => {
  expect(titleOf(name)).toBe(title)
})
