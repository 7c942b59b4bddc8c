import { meaningfulWords, saysOnly, singular, singularWordsOf, wordSet, wordsOf } from '../ir/words.js'
import { own } from '../schema/json-schema.js'
import { shapeOf } from '../schema/read-shape.js'
import type { Shape } from '../schema/shape.js'
import {
  fieldSubject,
  type LintDiagnostic,
  type LintTool,
  type ListedTool,
  type Rule,
  reportFields,
  reportTools,
  type ToolList,
  toolSubject,
} from './context.js'
import { type Field, plainShape } from './fields.js'

export const usabilityRules: readonly Rule[] = [
  {
    id: 'missing-description',
    code: 'TG8301',
    next: 'Describe the content of each field and the source of its value, e.g. with `.describe(...)`.',
    check: ({ tools, toolLists }) => {
      const unplumbed = new Set(toolLists.flatMap(unplumbedIn).map(({ field }) => field))
      return reportFields(
        tools,
        (field) => needsDescription(field) && !unplumbed.has(field),
        (names, id, many) => `${names} of ${id} ${many ? 'have' : 'has'} no description.`,
      )
    },
  },
  {
    id: 'description-repeats-name',
    code: 'TG8302',
    next: 'Describe what the tool does, when to use it, and what it returns.',
    check: ({ tools }) =>
      reportTools(tools, ['description'], ({ tool, toolset }) =>
        saysOnly(tool.description, [tool.name, toolset.name])
          ? `The description of \`${tool.id}\` only repeats its name.`
          : undefined,
      ),
  },
  {
    id: 'long-description',
    code: 'TG8303',
    next: 'Keep the sentences that distinguish the tool from other tools. Move sentences about a field to the description of the field, and advice about several tools to the instructions of the agent.',
    check: ({ tools }) =>
      reportTools(tools, ['description'], ({ tool: { id, description } }) =>
        description.length > maxLength
          ? `The description of \`${id}\` has ${description.length} characters, which every request contains.`
          : undefined,
      ),
  },
  {
    id: 'unfinished-text',
    code: 'TG8304',
    next: 'Finish the description, or remove the note.',
    check: ({ tools }) =>
      tools.flatMap((lintTool) => {
        const { tool, fields } = lintTool
        const texts = [
          { subject: toolSubject(lintTool, 'description'), name: `\`${tool.id}\``, text: tool.description },
          ...fields.map((field) => ({
            subject: fieldSubject(lintTool, field),
            name: `\`${field.label}\` of \`${tool.id}\``,
            text: field.description ?? '',
          })),
        ]
        return texts.flatMap(({ subject, name, text }) => {
          const note = /\b(?:TODO|FIXME|TBD)\b(?!['’`"])|\blorem ipsum\b/.exec(text)?.[0]
          if (note === undefined) return []
          return [{ subject, message: `The description of ${name} is unfinished: it contains \`${note}\`.` }]
        })
      }),
  },
  {
    id: 'overlapping-descriptions',
    code: 'TG8305',
    next: 'Explain in each description when to use this tool instead of the other one, or merge the two tools.',
    check: ({ toolLists }) => toolLists.flatMap(overlappingDescriptions),
  },
  {
    id: 'overlapping-names',
    code: 'TG8306',
    next: 'Rename one of the tools so that its name shows the difference, e.g. with `toolName`.',
    check: ({ toolLists }) =>
      toolLists.flatMap(({ tools }) => {
        const first = new Map<string, string>()
        return reportTools(tools, [], ({ toolName }) => {
          const key = nameKey(toolName)
          const other = first.get(key)
          if (other !== undefined)
            return `The names \`${other}\` and \`${toolName}\` differ only in case, separators, word order or a plural.`
          first.set(key, toolName)
          return undefined
        })
      }),
  },
  {
    id: 'undescribed-enum',
    code: 'TG8318',
    next: 'Use words as values, or explain each value in the description.',
    check: ({ tools }) =>
      reportFields(
        tools,
        isUndescribedCode,
        (names, id) => `The values of ${names} of ${id} are codes without an explanation.`,
      ),
  },
  {
    id: 'text-with-placeholder',
    code: 'TG8321',
    next: 'Use `template` instead of `text`. The runtime fills the placeholders of `template` from the payload, and sends `text` unchanged.',
    check: ({ design }) =>
      design.agents.flatMap(({ name, exports }) =>
        exports.flatMap(({ toolset, tools }, index) =>
          tools.flatMap(({ tool, text = '' }): readonly LintDiagnostic[] => {
            const placeholder = /\{\{[^{}]*\}\}/.exec(text)?.[0]
            if (placeholder === undefined) return []
            const path = ['exports', index, 'tools', tool, 'text']
            const message = `The \`text\` of \`${toolset}.${tool}\` contains the placeholder \`${placeholder}\`, which the runtime does not replace.`
            return [{ subject: { kind: 'agent', agent: name, path }, message }]
          }),
        ),
      ),
  },
  {
    id: 'unplumbed-id',
    code: 'TG8307',
    next: 'Add a tool that returns the id to the agent, or describe where users find the id.',
    check: ({ toolLists }) =>
      toolLists.flatMap(unplumbedIn).map(({ tool, field }) => ({
        subject: fieldSubject(tool, field),
        message: `No other tool that the model receives returns \`${field.label}\` of \`${tool.tool.id}\`, and the description of the field does not explain where to find the id.`,
      })),
  },
  {
    id: 'id-missing-in-result',
    code: 'TG8308',
    next: 'Add the id to every item of the array.',
    check: ({ toolLists }) =>
      toolLists.flatMap(({ tools }) => {
        const takers = tools.flatMap((tool) =>
          tool.fields
            .filter(({ required }) => required)
            .map((field) => ({ tool: tool.tool, label: field.label, thing: idThing(field, tool) }))
            .filter(({ thing }) => thing !== undefined),
        )
        return reportTools(tools, ['result'], (list) => {
          const thing = listedThing(list)
          const taker = thing && takers.find((each) => each.thing === thing && each.tool !== list.tool)
          if (!taker) return undefined
          const lacksId = listsOf(list).some(({ items }) => {
            const entry = plainShape(items, list.toolset.defs)
            return entry.kind === 'object' && entry.fields.length > 0 && !entry.fields.some(({ name }) => isKey(name))
          })
          return lacksId
            ? `The items of \`${list.tool.id}\` have no id, but \`${taker.tool.id}\` requires \`${taker.label}\`.`
            : undefined
        })
      }),
  },
  {
    id: 'unbounded-list',
    code: 'TG8309',
    next: 'Add `maxResult: { items: 50 }` to the tool, `maxItems` (`.max(50)`) to the array, or arguments for pages: `limit` and `cursor`.',
    check: ({ tools, toolLists }) =>
      reportTools(tools, ['result'], (tool) => {
        const isLong = listsOf(tool).some(
          ({ schema, items }) => own(schema, 'maxItems') === undefined && !smallKinds.includes(items.kind),
        )
        const isLimited = isLimitedFor(tool, toolLists)
        return isLong && !isLimited && !tool.fields.some(({ name }) => isPageField(name))
          ? `\`${tool.tool.id}\` returns an array of any length, and no argument limits the number of items.`
          : undefined
      }),
  },
  {
    id: 'ambiguous-field',
    code: 'TG8316',
    next: 'Name the field after its content, or describe the content.',
    check: ({ tools }) =>
      reportFields(tools, isAmbiguous, (names, id, many) => {
        const neither = many ? 'the names nor the descriptions explain' : 'the name nor the description explains'
        return `${names} of ${id} ${many ? 'are' : 'is'} ambiguous: neither ${neither} the content.`
      }),
  },
  {
    id: 'boolean-trap',
    code: 'TG8317',
    next: 'Use an enum, or a name that explains `true` (`includeDrafts`).',
    check: ({ tools }) =>
      reportFields(
        tools,
        isUnclearFlag,
        (names, id, many) =>
          `${names} of ${id} ${many ? 'are booleans' : 'is a boolean'}, but nothing explains what \`true\` means.`,
      ),
  },
  {
    id: 'unclear-unit',
    code: 'TG8319',
    next: 'Add the unit to the name or the description, e.g. `timeoutMs` or "in seconds".',
    check: ({ tools }) => reportFields(tools, lacksUnit, (names, id) => `The unit of ${names} of ${id} is unknown.`),
  },
  {
    id: 'too-many-tools',
    code: 'TG8312',
    next: 'Exclude tools with `only`. Or move some tools to another agent, and use that agent with `fromAgent`.',
    check: ({ toolLists }) =>
      toolLists.flatMap(({ agent, tools }) => {
        if (agent === undefined || tools.length <= maxTools) return []
        const message = `The model of \`${agent.name}\` has ${tools.length} tools. With more than ${maxTools}, models choose the wrong tool more often, and every request contains all definitions.`
        return [{ subject: { kind: 'agent', agent: agent.name, path: ['uses'] }, message }]
      }),
  },
  {
    id: 'too-many-fields',
    code: 'TG8313',
    next: 'Split the tool into one tool per task, fill fields that the application knows with `serverOwned`, or remove unused fields.',
    check: ({ tools }) =>
      reportTools(tools, ['payload'], ({ tool, fields }) => {
        const direct = fields.filter(({ path }) => path.length === 1).length
        return direct > maxFields
          ? `\`${tool.id}\` has ${direct} fields. With more than ${maxFields}, models omit or confuse some of them.`
          : undefined
      }),
  },
  {
    id: 'deep-payload',
    code: 'TG8314',
    next: 'Use a payload without nested objects. A mapper or the service can build the nested request.',
    check: ({ tools }) =>
      reportFields(
        tools,
        ({ path }) => path.length === maxDepth + 1,
        (names, id) => `${id} has more than ${maxDepth} levels of nested objects: ${names}.`,
      ),
  },
  {
    id: 'untyped-field',
    code: 'TG8315',
    next: 'Declare the allowed values: a type, a union, or named fields.',
    check: ({ tools }) =>
      reportFields(
        tools,
        ({ shape }) => shape.kind === 'unknown' || (shape.kind === 'array' && shape.items.kind === 'unknown'),
        (names, id, many) => `${names} of ${id} ${many ? 'accept' : 'accepts'} any value, so models must guess.`,
      ),
  },
  {
    id: 'missing-example',
    code: 'TG8320',
    next: 'Add an example to `examples`. After a call with invalid arguments, the model receives the first example.',
    check: ({ tools }) =>
      reportTools(tools, ['payload'], (tool) => {
        const reason = tool.tool.examples.length > 0 ? undefined : difficulty(tool)
        return reason && `\`${tool.tool.id}\` ${reason}, and has no example.`
      }),
  },
]

/** In characters. The API of OpenAI had this limit for the description of a function. */
const maxLength = 1_024

function needsDescription(field: Field): boolean {
  const { description = '', name, shape } = field
  if (description.trim() !== '' || isAmbiguous(field) || isUnclearFlag(field) || isUndescribedCode(field)) return false
  return shape.kind !== 'literals' && !hasFields(shape) && !(shape.kind === 'number' && isPageField(name))
}

/** A field with such a type needs no description, because the fields inside need descriptions. */
function hasFields(shape: Shape): boolean {
  if (shape.kind === 'array') return hasFields(shape.items)
  return shape.kind === 'ref' || (shape.kind === 'object' && shape.fields.length > 0)
}

function isUndescribedCode({ description = '', shape }: Field): boolean {
  if (shape.kind !== 'literals' || shape.values.length < 2 || description.trim() !== '') return false
  return shape.values.some(
    (value) => typeof value === 'number' || (typeof value === 'string' && /^.$|^\d+$/u.test(value)),
  )
}

/**
 * The words are sorted, so that `orderList` and `listOrder` are equal. Names such as `celsius_to_fahrenheit` keep their order, because the order is
 * part of their meaning.
 */
function nameKey(name: string): string {
  const words = singularWordsOf(name)
  const isDirected = words.some((word) => ['to', 'from', 'by', 'of', 'in', '2'].includes(word))
  return (isDirected ? words : [...words].sort()).join(' ')
}

const minSimilarity = 0.8

/** The comparison of descriptions ignores a sentence that this number of tools have in their descriptions. */
const sharedCount = 3

interface ToolWords {
  readonly tool: ListedTool
  readonly words: ReadonlySet<string>
  readonly nameWords: ReadonlySet<string>
}

function overlappingDescriptions({ tools }: ToolList): readonly LintDiagnostic[] {
  const split = tools.map((tool) => ({ tool, sentences: tool.tool.description.split(/\.\s+|\n+/) }))
  const uses = new Map<string, number>()
  for (const { sentences } of split) {
    for (const sentence of new Set(sentences)) uses.set(sentence, (uses.get(sentence) ?? 0) + 1)
  }
  const all = split.map(({ tool, sentences }): ToolWords => {
    const rest = sentences.filter((sentence) => (uses.get(sentence) ?? 0) < sharedCount)
    const words = new Set(meaningfulWords((rest.length === 0 ? sentences : rest).join(' ')))
    return { tool, words, nameWords: new Set(singularWordsOf(tool.toolName)) }
  })
  return all.flatMap((one, index) => {
    // Only the first similar tool is reported.
    const other = all.slice(0, index).find((earlier) => isSimilar(one, earlier))
    if (other === undefined) return []
    const message = `\`${other.tool.toolName}\` and \`${one.tool.toolName}\` have almost the same description.`
    return [{ subject: toolSubject(one.tool, 'description'), message }]
  })
}

function isSimilar(one: ToolWords, other: ToolWords): boolean {
  const [small, large] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words]
  // Fast path: most pairs already differ in length.
  if (small.size < minSimilarity * large.size || small.size === 0) return false
  const common = [...small].filter((word) => large.has(word)).length
  if (common / (small.size + large.size - common) < minSimilarity) return false
  const [verb] = one.words
  const [otherVerb] = other.words
  if (verb !== otherVerb) return false
  const differing = [...one.words, ...other.words].filter((word) => !one.words.has(word) || !other.words.has(word))
  // `From litres to gallons` and `from gallons to litres` have the same words.
  if (differing.length === 0) return [...one.words].join(' ') === [...other.words].join(' ')
  // `Start the timer` and `Stop the timer` are clear because the names differ too.
  return !differing.some((word) => one.nameWords.has(word) || other.nameWords.has(word))
}

const otherKeys: ReadonlySet<string> = wordSet('key code number no ref reference sku slug url uri path name login')

function isKey(name: string): boolean {
  return wordsOf(name).some((word) => idWords.has(word) || otherKeys.has(word))
}

/** Types of array items that are so small that a model can read a long array. */
const smallKinds: readonly Shape['kind'][] = ['string', 'number', 'boolean', 'literals', 'null']

const pageWords: ReadonlySet<string> = wordSet(
  'limit max maximum page pages cursor offset count top first last take per start skip',
)

export function isPageField(name: string): boolean {
  return wordsOf(name).some((word) => pageWords.has(word))
}

function isLimitedFor({ tool, toolset }: LintTool, toolLists: readonly ToolList[]): boolean {
  if (tool.maxResult !== undefined) return true
  const lists = toolLists.filter(({ tools }) => tools.some((each) => each.tool === tool))
  return (
    lists.length > 0 &&
    lists.every(({ agent }) => {
      if (agent?.maxResult !== undefined) return true
      const uses = agent?.uses.filter((use) => use.toolset === toolset.name) ?? []
      const limits = uses.map(
        ({ maxResult, tools }) => tools.find((each) => each.tool === tool.name)?.maxResult ?? maxResult,
      )
      return limits.length > 0 && limits.every((limit) => limit !== undefined)
    })
  )
}

function listsOf(tool: LintTool): readonly Extract<Shape, { kind: 'array' }>[] {
  if (listedThing(tool) === undefined) return []
  const { defs } = tool.toolset
  const result = plainShape(shapeOf(tool.tool.result, defs), defs)
  const shapes = result.kind === 'object' ? result.fields.map(({ shape }) => plainShape(shape, defs)) : [result]
  return shapes.filter((shape) => shape.kind === 'array')
}

const listingVerbs: ReadonlySet<string> = wordSet('list search find query browse')
const prepositions: ReadonlySet<string> = wordSet('for of in on by with from to at')

/** For example, `order` for `listOrdersOfCustomer`. */
function listedThing({ tool }: LintTool): string | undefined {
  const words = wordsOf(tool.name)
  const verb = words.findIndex((word) => listingVerbs.has(word))
  if (verb === -1) return undefined
  const end = words.findIndex((word, index) => index > verb && prepositions.has(word))
  const last = words.slice(verb + 1, end === -1 ? undefined : end).at(-1)
  return last === undefined ? undefined : singular(last)
}

const idWords: ReadonlySet<string> = wordSet('id ids uuid guid identifier')

function namedThing(name: string): string | undefined {
  const words = wordsOf(name)
  return idWords.has(words.at(-1) ?? '') ? words.slice(0, -1).map(singular).join(' ') : undefined
}

/** For example, `order` for the field `orderId`, and also for the field `id` of `getOrder`. */
function idThing({ name, shape }: Field, { tool }: LintTool): string | undefined {
  if (shape.kind !== 'string' && shape.kind !== 'number') return undefined
  const thing = namedThing(name)
  return thing === '' ? singularWordsOf(tool.name).slice(1).join(' ') || undefined : thing
}

/**
 * Returns required id fields whose values the model cannot know: no other tool in the list returns such an id, and the description of the field names
 * no source.
 */
export function unplumbedIn({ tools }: ToolList): readonly { readonly tool: LintTool; readonly field: Field }[] {
  const givers = tools.map((tool) => ({ tool: tool.tool, gives: idGiver(tool) }))
  return tools.flatMap((tool) =>
    tool.fields
      .filter((field) => {
        const { name, required, description = '' } = field
        if (!required || !saysOnly(description, [name, tool.tool.name, 'id identifier unique string'])) return false
        const thing = idThing(field, tool)
        return thing !== undefined && !givers.some((giver) => giver.tool !== tool.tool && giver.gives(name, thing))
      })
      .map((field) => ({ tool, field })),
  )
}

/** A fast test that excludes most fields, because a result can have thousands of fields. */
const mayNameId: RegExp = /(?:ids?|uuid|guid|identifier)$/i

/** If a tool has no result schema, the name of the tool decides: `listOrders` returns ids of orders. */
function idGiver({ tool, resultFields }: LintTool): (name: string, thing: string) => boolean {
  const ownWords = new Set(singularWordsOf(tool.name))
  const names = new Set(resultFields.map(({ name }) => name))
  const things = new Set<string>()
  const parentWords = new Set<string>()
  for (const { name, path } of resultFields) {
    const thing = mayNameId.test(name) ? namedThing(name) : undefined
    if (thing !== undefined) things.add(thing)
    if (thing !== '') continue
    for (const word of [...path.slice(0, -1).flatMap(singularWordsOf), ...ownWords]) parentWords.add(word)
  }
  return (name, thing) => {
    const words = thing.split(' ')
    const isOwn = words.some((word) => ownWords.has(word))
    if (resultFields.length === 0) return isOwn
    if (names.has(name) && (namedThing(name) !== '' || isOwn)) return true
    return things.has(thing) || words.some((word) => parentWords.has(word))
  }
}

const vague: ReadonlySet<string> = wordSet(
  'data value values val info item items obj object objects param params arg args arguments input payload stuff thing misc extra temp tmp',
)

export function isAmbiguous({ name, path, description = '', shape }: Field): boolean {
  // In a named object, `value` is often a suitable name.
  if (path.length > 1 || shape.kind === 'literals' || !saysOnly(description, [name])) return false
  return vague.has(name.toLowerCase()) || /^[a-z]+[_-]?[2-9]$/i.test(name)
}

const choiceNouns: ReadonlySet<string> = wordSet(
  'type mode status state format kind level direction order sort priority choice option setting flag switch unit language',
)

/** The meaning of `true` is unclear if the name is a choice (`sortOrder`) or a negation (`noCache`). */
export function isUnclearFlag({ name, description = '', shape }: Field): boolean {
  if (shape.kind !== 'boolean' || /\b(?:true|false|if|whether|when|set)\b/i.test(description)) return false
  const words = wordsOf(name)
  if (choiceNouns.has(words.at(-1) ?? '')) return true
  return ['no', 'not', 'dont'].includes(words[0] ?? '') && saysOnly(description, [name])
}

const quantities: ReadonlySet<string> = wordSet(
  'timeout duration delay interval ttl latency distance weight temperature speed price cost amount fee salary',
)

const units: ReadonlySet<string> = wordSet(
  'ms millisecond msec s sec second min minute h hr hour d day week month year',
  'b byte kb kilobyte mb megabyte gb px pixel em pt mm cm m km meter metre millimeter centimeter kilometer kilometre mile ft foot feet',
  'inch yard mg g kg gram kilogram lb pound ounce oz ton c f k celsius fahrenheit kelvin degree kmh mph kph knot',
  'cent usd eur gbp chf jpy cny inr dollar euro yen rupee currency unit percent pct percentage token block gwei wei eth',
  'hz khz mhz ghz watt kw volt',
)

function lacksUnit({ name, path, description = '', shape }: Field, { fields }: LintTool): boolean {
  if (shape.kind !== 'number' || !wordsOf(name).some((word) => quantities.has(word))) return false
  if (/[%°$€£¥]|\d+(?:ms|s|min|h|px|km|kg|mb)\b/i.test(description)) return false
  // A sibling field often has the unit, such as the currency of an amount.
  const parent = path.slice(0, -1).join('.')
  const unitFields = fields
    .filter((field) => field.path.slice(0, -1).join('.') === parent)
    .map((field) => field.name)
    .filter((sibling) => wordsOf(sibling).some((word) => singular(word) === 'unit' || word === 'currency'))
  return ![...unitFields, name, description].some((text) =>
    wordsOf(text).some((word) => units.has(word) || units.has(singular(word))),
  )
}

/** Models make more mistakes above these limits. `maxTools` is from OpenAI's guide to function calling. */
const maxDepth = 4
const maxFields = 15
const maxTools = 20
const exampleDepth = 3

function difficulty({ fields, toolset: { defs } }: LintTool): string | undefined {
  const union = fields.find(
    ({ shape }) =>
      shape.kind === 'union' &&
      shape.variants.filter((variant) => plainShape(variant, defs).kind === 'object').length > 1,
  )
  if (union !== undefined) return `takes one of several objects as \`${union.label}\``
  const deep = fields.find(({ path }) => path.length > exampleDepth)
  return deep && `nests objects as deep as \`${deep.label}\``
}
