import { pointerOf } from '@toolgen/runtime/schema'
import fc from 'fast-check'
import { hostileName } from '../ir/hostile-names.fixture.js'
import type { DesignIr, Json, Schema, SchemaObject } from '../ir/types.js'
import { type SmallAgent, type SmallTool, type SmallToolset, smallDesign } from './small-design.fixture.js'

const nastyTexts: readonly string[] = [
  '*/ export const broken = 1 /*',
  '/** */',
  '*\\/',
  '// eslint-disable',
  '@deprecated',
  ' @ts-ignore\n@internal {@link x}',
  "'; process.exit(1); '",
  '"; process.exit(1); "',
  '`${process.exit(1)}`',
  '{{#each x}}{{/if}}{{{raw}}}\\{{escaped}}',
  'line\nbreak\r\nand\u2028more\u2029',
  '\0\u0007\u001b[31m',
  '\u202edesrever\u202c',
  '\ud800 lone',
  '\\u0041\\',
  '<!-- --> </script>',
  '//# sourceMappingURL=x',
  'long '.repeat(60),
  'x'.repeat(200),
  '   ',
  '',
]

const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nastyTexts),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.constantFrom(...nastyTexts), { maxLength: 3 }).map((texts) => texts.join('')),
)

const hostileJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    hostileText,
    fc.constantFrom<Json[]>(null, true, false, 0, -0, 1e21, 5e-324, -1.5),
    fc.array(tie('json'), { maxLength: 3 }),
    record(hostileName, tie('json'), 3),
  ),
})).json

function hostileSchema(names: readonly string[]): fc.Arbitrary<SchemaObject> {
  const described = (schema: fc.Arbitrary<SchemaObject>): fc.Arbitrary<SchemaObject> =>
    fc.tuple(schema, fc.option(hostileText), fc.option(hostileJson)).map(([own, description, fallback]) => ({
      ...own,
      ...(description !== null && { description }),
      ...(fallback !== null && { default: fallback }),
    }))
  const { schema } = fc.letrec<{ schema: SchemaObject; object: SchemaObject }>((tie) => ({
    schema: described(
      fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<SchemaObject[]>({ type: 'string' }, { type: 'integer' }, { type: ['boolean', 'null'] }, {}),
        fc.array(hostileJson, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
        hostileJson.map((value) => ({ const: value })),
        ...(names.length === 0 ? [] : [fc.constantFrom(...names).map((name) => ({ $ref: referenceTo(name) }))]),
        tie('schema').map((items) => ({ type: 'array', items })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((items) => ({ type: 'array', prefixItems: items })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((variants) => ({ anyOf: variants })),
        tie('object'),
      ),
    ),
    object: hostileObject(tie('schema')),
  }))
  return schema
}

function referenceTo(name: string): string {
  return `#/$defs${pointerOf([name]).replaceAll('%', '%25')}`
}

function hostileObject(field: fc.Arbitrary<SchemaObject>): fc.Arbitrary<SchemaObject> {
  return fc
    .tuple(record(hostileName, field, 5), fc.option(fc.oneof(fc.boolean(), field)), fc.boolean())
    .map(([properties, additionalProperties, required]) => ({
      type: 'object',
      properties,
      ...(required && { required: Object.keys(properties) }),
      ...(additionalProperties !== null && { additionalProperties }),
    }))
}

function hostileTool(name: string, defs: readonly string[]): fc.Arbitrary<SmallTool> {
  const root = hostileObject(hostileSchema(defs))
  return fc
    .record({
      title: hostileText,
      description: hostileText,
      arguments: root,
      result: fc.oneof(root, hostileSchema(defs)),
      updates: fc.option(hostileSchema(defs), { nil: undefined }),
      examples: fc.array(hostileJson, { maxLength: 2 }),
      tags: fc.array(hostileText, { maxLength: 2 }),
      toolName: hostileText,
      needsCheck: fc.boolean(),
      owned: fc.uniqueArray(hostileName, { maxLength: 2 }),
    })
    .map(({ owned, updates, ...tool }) => {
      const fields = new Set(Object.keys(tool.arguments.properties as object))
      const free = owned.filter((field) => !fields.has(field))
      return {
        ...tool,
        ...(updates !== undefined && { updates }),
        name,
        serverOwned: free.map((field) => ({ field, from: `labels.${field}`, schema: { type: 'string' } })),
      }
    })
}

function hostileToolset(name: string): fc.Arbitrary<SmallToolset> {
  const names = fc.uniqueArray(hostileName, { maxLength: 4 })
  const defNames = fc.uniqueArray(
    hostileName.filter((def) => def.length < 20 && !/[\ud800-\udfff]/.test(def)),
    { maxLength: 3 },
  )
  const server = fc.option(hostileText, { nil: undefined })
  return fc.tuple(names, defNames, hostileText, server).chain(([tools, defs, description, served]) =>
    fc
      .tuple(
        fc.tuple(...tools.map((tool) => hostileTool(tool, defs))),
        fc.tuple(...defs.map(() => hostileSchema(defs))),
      )
      .map(([made, schemas]) => ({
        name,
        description,
        tools: made,
        ...(served !== undefined && { server: served }),
        defs: Object.fromEntries(defs.map((def, index): [string, Schema] => [def, schemas[index] ?? true])),
      })),
  )
}

/** A complete design with hostile names and texts, in the format that earlier stages of the generator return. */
export const hostileDesign: fc.Arbitrary<DesignIr> = fc
  .tuple(fc.uniqueArray(hostileName, { maxLength: 3 }), fc.uniqueArray(hostileName, { maxLength: 2 }), hostileText)
  .chain(([toolsets, agents, description]) =>
    fc.tuple(...toolsets.map(hostileToolset)).map((made) =>
      smallDesign(
        made,
        agents.map((name, index) => hostileAgent(name, agents[(index + 1) % agents.length], made, description)),
      ),
    ),
  )

function hostileAgent(
  name: string,
  other: string | undefined,
  toolsets: readonly SmallToolset[],
  text: string,
): SmallAgent {
  const uses = toolsets.map((toolset) => toolset.name)
  const served = toolsets.slice(0, 2)
  return {
    name,
    description: text,
    uses,
    consumes:
      other === undefined || other === name
        ? []
        : served.map((toolset) => ({ toolset: toolset.name, as: `${toolset.name} of ${other}`, agent: other })),
    remotes: toolsets.flatMap(({ name: toolset, server }) =>
      server === undefined
        ? []
        : [
            { toolset, as: `${toolset} there` },
            { toolset, as: `${toolset} elsewhere`, prefix: text },
          ],
    ),
    exports: served.map((toolset) => ({
      toolset: toolset.name,
      tools: toolset.tools.map((tool) => ({ tool: tool.name, template: text, systemPrompt: text, prose: true })),
    })),
  }
}

/** Returns an object in which `__proto__` is an ordinary key. */
function record<T extends Json>(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<T>,
  maxLength: number,
): fc.Arbitrary<{ readonly [key: string]: T }> {
  return fc
    .uniqueArray(fc.tuple(key, value), { maxLength, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries))
}
