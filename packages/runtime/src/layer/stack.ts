import type { ToolLayer } from '../contract/layer.js'
import { guardLayer } from './guard-layer.js'

/**
 * Several layers as one: the last is the outermost, as if each had been chained by `.layer`.
 *
 * @example
 * const careful = stack(timeout(5_000), retry(), approval())
 */
export function stack(...layers: readonly ToolLayer[]): ToolLayer
export function stack<A>(a: ToolLayer<A>): ToolLayer<A>
export function stack<A, B>(a: ToolLayer<A>, b: ToolLayer<B>): ToolLayer<A & B>
export function stack<A, B, C>(a: ToolLayer<A>, b: ToolLayer<B>, c: ToolLayer<C>): ToolLayer<A & B & C>
export function stack<A, B, C, D>(
  a: ToolLayer<A>,
  b: ToolLayer<B>,
  c: ToolLayer<C>,
  d: ToolLayer<D>,
): ToolLayer<A & B & C & D>
export function stack<A, B, C, D, E>(
  a: ToolLayer<A>,
  b: ToolLayer<B>,
  c: ToolLayer<C>,
  d: ToolLayer<D>,
  e: ToolLayer<E>,
): ToolLayer<A & B & C & D & E>
export function stack<Env>(...layers: readonly ToolLayer<Env>[]): ToolLayer<Env>
export function stack(...layers: readonly ToolLayer<any>[]): ToolLayer<any> {
  // `any`: the overloads add up what each layer needs.
  return (next) => layers.reduce((service, layer) => guardLayer(layer, service), next)
}
