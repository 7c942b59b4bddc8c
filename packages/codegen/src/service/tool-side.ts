import type { Schema, ServiceToolIr, ToolIr } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape/shape.js'
import { type ShapeResolver, shapeResolver } from './match/walk.js'
import type { CallBinding } from './payload/payload-call.js'

/** The shapes of a tool and what its binding says. */
export interface ToolSide {
  readonly payload: Shape
  readonly result: Shape
  readonly shapes: ShapeResolver
  readonly binding: CallBinding
  /** See `ServiceToolIr.result`. */
  readonly answer: ServiceToolIr['result']
  /** There where the tool streams. */
  readonly streaming?: { readonly updates: Shape; readonly collect: 'list' | 'last' }
}

/** @param defs the definitions of the tool's toolset */
export function toolSide(tool: ToolIr, bound: ServiceToolIr, defs: Readonly<Record<string, Schema>>): ToolSide {
  const { collect = 'list' } = bound
  return {
    payload: shapeOf(tool.payload, defs),
    result: shapeOf(tool.result, defs),
    shapes: shapeResolver(defs),
    binding: { rename: new Map(Object.entries(bound.rename)), constants: new Map(Object.entries(bound.constants)) },
    answer: bound.result,
    ...(tool.updates === undefined ? {} : { streaming: { updates: shapeOf(tool.updates, defs), collect } }),
  }
}
