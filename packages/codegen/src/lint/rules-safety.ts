import { eachSubschema, patternExamples } from '@toolgen/runtime/schema'
import type { Json } from '../ir/types.js'
import { wordSet, wordsOf } from '../ir/words.js'
import type { Vendor } from '../load/toolgen-config.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, own, type Schema } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'
import type { SensitivePathsIr } from '../schema/sensitive.js'
import { inTime } from '../timers.js'
import type { FormChange, VendorForm } from '../tokens/vendor-forms.js'
import {
  fieldSubject,
  importKindOf,
  type LintContext,
  type LintDiagnostic,
  type LintTool,
  namesList,
  type Rule,
  reportFields,
  reportTools,
  type Subject,
  toolSubject,
} from './context.js'
import type { Field } from './fields.js'

export const safetyRules: readonly Rule[] = [
  {
    id: 'unconfirmed-mutation',
    code: 'TG8310',
    next: "Add `confirmation: { prompt: '...' }`. Or set `destructive: false` if the tool destroys nothing.",
    check: ({ tools }) =>
      reportTools(tools, [], ({ tool }) => {
        const { readOnly, destructive } = tool.annotations
        if (tool.confirmation !== undefined || readOnly === true || destructive === false) return undefined
        const verb = irreversibleVerb(tool.name)
        if (destructive !== true && verb === undefined) return undefined
        const reason = destructive === true ? 'is `destructive`' : `cannot be undone, judging by its name (\`${verb}\`)`
        return `\`${tool.id}\` ${reason}, but has no confirmation.`
      }),
  },
  {
    id: 'contradictory-annotations',
    code: 'TG8311',
    next: 'Remove the wrong annotation, or rename the tool. Layers repeat and cache calls of `readOnly` tools.',
    check: ({ tools }) =>
      reportTools(tools, ['readOnly'], ({ tool: { id, name, annotations } }) => {
        if (annotations.readOnly !== true) return undefined
        const verb = irreversibleVerb(name)
        const but = annotations.destructive === true ? 'also `destructive`' : verb && `its name contains \`${verb}\``
        return but && `\`${id}\` is \`readOnly\`, but ${but}.`
      }),
  },
  {
    id: 'slow-pattern',
    code: 'TG8322',
    next: 'Change the pattern so that each part of a string can match in only one way: `a+` instead of `(a+)+`.',
    check: ({ tools }) => {
      const known = new Map<string, string | undefined>()
      const slowTextOf = (pattern: string): string | undefined => {
        if (!known.has(pattern)) known.set(pattern, slowText(pattern))
        return known.get(pattern)
      }
      return tools.flatMap((tool) => [
        ...slowPatterns(tool, 'arguments', slowTextOf),
        ...slowPatterns(tool, 'result', slowTextOf),
      ])
    },
  },
  {
    id: 'hidden-characters',
    code: 'TG8323',
    next: 'Remove the characters, and check that the remaining text is correct.',
    check: (context) =>
      modelTexts(context).flatMap(({ subject, name, text, isPattern }) => {
        const hidden = [...new Set(hiddenCharacters(text, isPattern))]
        if (hidden.length === 0) return []
        const list = `${hidden.slice(0, 5).join(', ')}${hidden.length > 5 ? ' and others' : ''}`
        return [{ subject, message: `${name} contains invisible characters: ${list}.` }]
      }),
  },
  {
    id: 'instruction-to-model',
    code: 'TG8324',
    next: 'Read the complete text. If you do not trust its source, remove the tool from the agent: list the other tools in `only`.',
    check: ({ tools }) =>
      tools
        .filter(({ toolset }) => importKindOf(toolset) !== undefined)
        .flatMap(toolTexts)
        .flatMap(({ subject, name, text, isPattern }) => {
          const found = isPattern ? undefined : instructions.map((phrase) => phrase.exec(text)?.[0]).find(Boolean)
          if (found === undefined) return []
          const characters = [...found]
          const shown = characters.length > 80 ? `${characters.slice(0, 80).join('')}...` : found
          return [{ subject, message: `${name} contains an instruction for the model: "${visible(shown)}".` }]
        }),
  },
  {
    id: 'idempotency-key-from-model',
    code: 'TG8325',
    next: "Let the runtime create the key: `serverOwned: { FIELD: 'idempotencyKey' }`. Or set `idempotent: true` if a repeated call has no further effect without the key.",
    check: ({ tools }) =>
      reportFields(
        tools,
        ({ path, name, shape }, { tool: { annotations } }) =>
          path.length === 1 &&
          shape.kind === 'string' &&
          annotations.readOnly !== true &&
          annotations.idempotent !== true &&
          isIdempotencyKey(name),
        (names, id, many) =>
          `${names} of ${id} ${many ? 'are idempotency keys that' : 'is an idempotency key that'} the model must invent. A model that repeats a call writes another key.`,
      ),
  },
  {
    id: 'unmarked-secret',
    code: 'TG8328',
    next: "Mark the field: `.meta({ 'x-sensitive': ['events', 'telemetry', 'recording'] })`, and add `model` if models must not read it. For an imported tool, use `sensitive`.",
    check: ({ tools }) =>
      tools.flatMap((tool) => {
        const ofPart = (part: 'payload' | 'result', fields: readonly Field[]) =>
          fields
            .filter((field) => isSecret(field) && !isMarked(field, tool.tool.sensitive?.[part]))
            .map(({ label }) => label)
        const names = [...new Set([...ofPart('payload', tool.fields), ...ofPart('result', tool.resultFields)])]
        if (names.length === 0) return []
        const [what, verb] = names.length > 1 ? ['secrets', 'are'] : ['a secret', 'is']
        const message = `${namesList(names)} of \`${tool.tool.id}\` looks like ${what}, but ${verb} not marked as sensitive. Events, spans and recordings contain the value.`
        return [{ subject: toolSubject(tool), message: names.length > 1 ? message.replace('looks', 'look') : message }]
      }),
  },
  {
    id: 'openai-strict',
    code: 'TG8330',
    vendor: 'openai',
    next: 'Change the parts of the schema that are listed as reasons. Or accept that models may send invalid arguments, which generated code rejects.',
    check: (context) =>
      reportForms(context, 'openai', ({ strict, changes }, name) => {
        if (strict !== false) return undefined
        const reason = changes.find(({ kind }) => kind === 'fallback')?.message ?? 'strict mode does not support it.'
        return { changes, message: `\`${name}\` is sent to OpenAI without strict mode: ${reason}` }
      }),
  },
  {
    id: 'anthropic-form',
    code: 'TG8331',
    vendor: 'anthropic',
    next: 'Give the field a name of 1 to 64 letters, digits, `_`, `.` or `-`. If the service needs the old name, map the new name to it with `rename` in `fromService`.',
    check: (context) => reportForms(context, 'anthropic', rejection),
  },
  {
    id: 'gemini-form',
    code: 'TG8332',
    vendor: 'gemini',
    next: 'For a rejected name, set a `toolName` that begins with a letter or `_`. For a keyword that Gemini does not receive, simplify this part of the schema, or describe the constraint in the description of the field.',
    check: (context) =>
      reportForms(context, 'gemini', (form, name) => {
        const changes = form.changes.filter(({ kind, loosens }) => kind === 'removed' && loosens)
        const message = `Gemini does not receive the whole schema of \`${name}\`: ${changes[0]?.message}`
        return rejection(form, name) ?? (changes.length === 0 ? undefined : { changes, message })
      }),
  },
  {
    id: 'mcp-form',
    code: 'TG8333',
    vendor: 'mcp',
    next: 'Make the payload one object, with a field that selects the variant. Or accept that only the description explains to models which fields belong together.',
    check: (context) =>
      reportForms(context, 'mcp', (form, name) => {
        const changes = form.changes.filter(
          ({ kind, keyword, loosens }) => kind === 'fallback' || keyword === 'outputSchema' || loosens,
        )
        const message = `An MCP server lists \`${name}\` with a weaker schema: ${changes[0]?.message}`
        return changes.length === 0 ? undefined : { changes, message }
      }),
  },
]

const irreversible: ReadonlySet<string> = wordSet(
  'delete remove drop purge destroy erase wipe truncate revoke cancel refund pay charge send publish terminate uninstall ban',
)

/** After these verbs, a dangerous word is harmless: `listCancelReasons` cancels nothing. */
const harmless: ReadonlySet<string> = wordSet(
  'get list search find query browse read show describe count check fetch view lookup look preview validate calculate estimate is has can',
)

const keyNames: ReadonlySet<string> = new Set(['client token', 'client request token', 'deduplication id'])

function isIdempotencyKey(name: string): boolean {
  const words = wordsOf(name)
  return words.includes('idempotency') || words.includes('idempotent') || keyNames.has(words.join(' '))
}

function irreversibleVerb(name: string): string | undefined {
  const verb = wordsOf(name).find((word) => irreversible.has(word) || harmless.has(word))
  return verb !== undefined && irreversible.has(verb) ? verb : undefined
}

function slowPatterns(
  lintTool: LintTool,
  side: 'arguments' | 'result',
  slowTextOf: (pattern: string) => string | undefined,
): readonly LintDiagnostic[] {
  const { tool, toolset, fields } = lintTool
  const slow = patternsOf(tool[side], toolset.defs).filter(({ pattern }) => slowTextOf(pattern) !== undefined)
  const [first] = slow
  if (first === undefined) return []
  const patterns = [...new Set(slow.map(({ pattern }) => pattern))]
  const isResult = side === 'result'
  const field = isResult ? undefined : fields.find(({ path }) => path.join('\0') === first.path.join('\0'))
  const [have, are] = patterns.length === 1 ? ['a pattern', 'is'] : ['patterns', 'are']
  return [
    {
      subject: field ? fieldSubject(lintTool, field) : toolSubject(lintTool, isResult ? 'result' : 'payload'),
      message: `${isResult ? 'The result of ' : ''}\`${tool.id}\` has ${have} that ${are} slow in other validators: ${namesList(patterns)}.`,
      facts: patterns.map(
        (pattern) =>
          `\`${pattern}\` takes a backtracking engine more than half a second to reject ${JSON.stringify(slowTextOf(pattern))}.`,
      ),
    },
  ]
}

function patternsOf(root: Schema, defs: Readonly<Record<string, Schema>>) {
  const found: { readonly pattern: string; readonly path: readonly string[] }[] = []
  const entered = new Set<string>()
  const visit = (schema: Schema, path: readonly string[]): void => {
    if (!isObject(schema)) return
    const pattern = own(schema, 'pattern')
    const keyed = own(schema, 'patternProperties')
    const name = refName(own(schema, '$ref'))
    if (typeof pattern === 'string') found.push({ pattern, path })
    for (const key of isObject(keyed) ? Object.keys(keyed) : []) found.push({ pattern: key, path })
    eachSubschema(schema, (inner, [keyword, key]) =>
      visit(inner, keyword === 'properties' && key !== undefined ? [...path, key] : path),
    )
    if (name === undefined || entered.has(name)) return
    entered.add(name)
    visit(own(defs, name) ?? true, path)
  }
  visit(root, [])
  return found
}

/** Number of repetitions in the texts that `slowText` tries. With a slow pattern, each repetition doubles the time, so 50 are enough. */
const repeats = 50
const maxStart = 24
const maxPartLength = 4
const maxEndings = 14

/**
 * Returns a text that a backtracking regular expression engine needs more than half a second to reject. If the result is `undefined`, the pattern can
 * still be slow for longer or unusual texts.
 */
export function slowText(pattern: string): string | undefined {
  // A single repetition can match in only one way.
  if ((pattern.match(/[*+?{|]/g) ?? []).length <= 1) return undefined
  const expression = compiled(pattern)
  const texts = expression === undefined ? [] : attacks(pattern)
  let index = 0
  while (index < texts.length) {
    const isDone = inTime(() => {
      for (; index < texts.length; index += 1) expression?.test(texts[index] ?? '')
    }).isDone
    const text = texts[index]
    if (isDone || text === undefined) return undefined
    // Measures this text alone, because the time was possibly spent on several texts together.
    if (!inTime(() => expression?.test(text)).isDone) return text
    index += 1
  }
  return undefined
}

function attacks(pattern: string): readonly string[] {
  const endings = [...new Set(['\0', ...pattern])].slice(0, maxEndings)
  const found = new Set<string>()
  for (const text of new Set([...patternExamples(pattern), 'a', '0'])) {
    for (let start = 0; start < Math.min(text.length, maxStart); start += 1) {
      for (let end = start + 1; end <= Math.min(text.length, start + maxPartLength); end += 1) {
        const repeated = text.slice(0, start) + text.slice(start, end).repeat(repeats)
        for (const ending of endings) found.add(repeated + ending)
      }
    }
  }
  return [...found]
}

function compiled(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // Invalid with these flags.
    }
  }
  return undefined
}

const legitimate: readonly RegExp[] = [
  // Flags of England, Scotland and Wales.
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu,
  // Composed emoji, and variation selectors for emoji or text.
  /(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})/gu,
  /(?<=[\p{Emoji}\p{S}])[\uFE0E\uFE0F](?!\p{Variation_Selector})/gu,
  // Variants of ideographs.
  /(?<=\p{Script=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}](?!\p{Variation_Selector})/gu,
  // Joiners in scripts that need them, such as Persian and Hindi.
  /(?<=(?!\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic})[\p{L}\p{M}])[\u200C\u200D](?=[\p{L}\p{M}\s]|$)/gu,
]

const directionMarks = /[\u061C\u200E\u200F]/gu
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

const characterKinds: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/[\u{E0000}-\u{E007F}]/u, 'tag character'],
  [/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u, 'bidirectional control'],
  [/\p{Variation_Selector}/u, 'variation selector'],
  [/\p{Surrogate}/u, 'half of a surrogate pair'],
  // Tabs and line breaks are visible.
  [/(?![\t\n\r])\p{Cc}/u, 'control character'],
  [/\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/u, 'invisible character'],
]

function hiddenCharacters(text: string, isPattern = false): readonly string[] {
  // Fast path for almost all texts.
  if (/^[\x20-\x7E\n\r\t]*$/.test(text)) return []
  let rest = legitimate.reduce((left, use) => left.replace(use, ''), text)
  if (rightToLeft.test(rest)) rest = rest.replace(directionMarks, '')
  return [...rest].flatMap((character) => {
    const kind = characterKinds.find(([pattern]) => pattern.test(character))?.[1]
    // Character classes of a regular expression often contain control characters.
    if (kind === undefined || (isPattern && kind === 'control character')) return []
    return [`U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')} (${kind})`]
  })
}

const instructions: readonly RegExp[] = [
  // Hide something from the user.
  /\b(?:do not|don['’]t|never|without)\s+(?:tell|inform|notify|alert|warn|let|mention|reveal|disclos(?:e|ing)|show|report|explain)(?:ing|ting)?\b[^.!?\n]{0,40}?\b(?:to\s+)?(?:the|your)\s+(?:user|human|operator)s?\b/iu,
  /\b(?:hide|conceal|keep)\s+(?:this|it|that|these|them)\s+(?:\w+\s+)?from\s+(?:the|your)\s+(?:user|human|operator)s?\b/iu,
  /\bwithout\s+(?:the|your)\s+(?:user|human|operator)(?:['’]s)?\s+(?:knowledge|knowing|noticing)\b/iu,
  // Ignore other instructions.
  /\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|of|the|your|these|those|every)\s+)*(?:previous|prior|earlier|preceding|above|foregoing|other|system)\s+(?:\w+\s+)?(?:instructions?|prompts?|rules|guidelines|directions|commands|messages|policies)\b/iu,
  /\bignore\s+(?:everything|anything|all\s+that\s+was)\s+(?:said\s+)?(?:above|before)\b/iu,
  /\b(?:reveal|print|repeat|output|include|send|pass)\b[^.!?\n]{0,40}\b(?:your|the)\s+system\s+prompt\b/iu,
  /\bfrom\s+now\s+on,?\s+you\s+(?:are|must|will|should)\b/iu,
  // Imitate another part of the conversation.
  /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|system-prompt|system_prompt)>/iu,
]

interface ModelText {
  readonly subject: Subject
  readonly name: string
  readonly text: string
  readonly isPattern?: boolean
}

function modelTexts({ design, tools }: LintContext): readonly ModelText[] {
  const toolsets = design.toolsets.filter(
    (toolset) => importKindOf(toolset) === undefined || tools.some((tool) => tool.toolset === toolset),
  )
  return [
    ...toolsets.map(({ name, description }): ModelText => {
      const subject = { kind: 'toolset', toolset: name, path: ['description'] } as const
      return { subject, name: `The description of \`${name}\``, text: description }
    }),
    ...tools.flatMap(toolTexts),
    ...design.agents.flatMap(({ name: agent, description, instructions: text = '', exports }): ModelText[] => {
      const subject = (path: string): Subject => ({ kind: 'agent', agent, path: [path] })
      return [
        { subject: subject('description'), name: `The description of \`${agent}\``, text: description },
        { subject: subject('instructions'), name: `The instructions of \`${agent}\``, text },
        ...exports.flatMap(({ toolset, tools: exported }) =>
          exported.flatMap((tool) =>
            [tool.text, tool.template, tool.systemPrompt].map((message = '') => ({
              subject: subject('exports'),
              name: `A message of \`${agent}\` for \`${toolset}.${tool.tool}\``,
              text: message,
            })),
          ),
        ),
      ]
    }),
  ]
}

function toolTexts(lintTool: LintTool): readonly ModelText[] {
  const { tool } = lintTool
  const id = `\`${tool.id}\``
  return [
    { subject: toolSubject(lintTool), name: `The title of ${id}`, text: tool.title },
    { subject: toolSubject(lintTool, 'description'), name: `The description of ${id}`, text: tool.description },
    ...schemaTexts(lintTool, 'payload'),
    ...schemaTexts(lintTool, 'result'),
    ...tool.examples
      .flatMap(stringsIn)
      .map((text) => ({ subject: toolSubject(lintTool, 'examples'), name: `An example of ${id}`, text })),
  ]
}

const schemaMaps: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
const dataKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required'])

function schemaTexts(lintTool: LintTool, side: 'payload' | 'result'): readonly ModelText[] {
  const { tool, toolset, fields } = lintTool
  const found: ModelText[] = []
  const owner = side === 'payload' ? `\`${tool.id}\`` : `the result of \`${tool.id}\``
  const add = (path: readonly string[], kind: string, text: string, isPattern = false): void => {
    const key = path.join('\0')
    const field = side === 'payload' ? fields.find((each) => each.path.join('\0') === key) : undefined
    const subject = field === undefined ? toolSubject(lintTool, side) : fieldSubject(lintTool, field)
    const location = path.length === 0 ? owner : `\`${path.map(visible).join('.')}\` of ${owner}`
    found.push({ subject, name: `${kind} of ${location}`, text, isPattern })
  }
  const visit = (value: Json, path: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, path)
    if (!isObject(value)) return
    for (const [keyword, part] of Object.entries(value)) {
      if (schemaMaps.has(keyword) && isObject(part)) {
        for (const [name, inner] of Object.entries(part)) {
          const innerPath = keyword === 'properties' ? [...path, name] : path
          add(innerPath, 'The name', name, keyword === 'patternProperties')
          visit(inner, innerPath)
        }
      } else if (dataKeywords.has(keyword)) {
        for (const text of stringsIn(part)) add(path, 'A value', text)
      } else if (typeof part === 'string') {
        add(path, `\`${visible(keyword)}\``, part, keyword === 'pattern')
      } else visit(part, path)
    }
  }
  visit(closedSchema(side === 'payload' ? tool.arguments : tool.result, toolset.defs), [])
  return found
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((item: Json) => stringsIn(item))
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]) : []
}

function visible(text: string): string {
  const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
  return text.replace(/[\p{C}\p{Z}\p{Variation_Selector}]/gu, (character) =>
    character === ' ' ? ' ' : escaped(character),
  )
}

interface FormProblem {
  readonly message: string
  readonly changes: readonly FormChange[]
}

function rejection({ changes }: VendorForm, name: string): FormProblem | undefined {
  const fallbacks = changes.filter(({ kind }) => kind === 'fallback')
  const [first] = fallbacks
  return first && { changes: fallbacks, message: `\`${name}\` cannot be sent unchanged: ${first.message}` }
}

/** Limits for the quoted schema, in characters, and for the list of its changes. `--json` prints the whole schema. */
const maxLength = 1_000
const maxChanges = 5

function reportForms(
  { tools, forms }: LintContext,
  vendor: Vendor,
  problemOf: (form: VendorForm, name: string) => FormProblem | undefined,
): readonly LintDiagnostic[] {
  const formOf = forms[vendor]
  if (formOf === undefined) return []
  return tools.flatMap((lintTool) => {
    const { toolName } = lintTool.tool
    const form = formOf({ ...lintTool, toolName })
    const problem = problemOf(form, toolName)
    if (problem === undefined) return []
    const { message, changes } = problem
    const side = vendor === 'mcp' && changes[0]?.keyword === 'outputSchema' ? 'result' : 'payload'
    const lines = changes.map((change) => `${change.pointer || '(root)'} ${change.keyword}: ${change.message}`)
    const left = lines.length - maxChanges
    const shown = left > 1 ? [...lines.slice(0, maxChanges), `${left} more changes`] : lines
    const schema = JSON.stringify(form.schema)
    const sent = schema.length > maxLength ? `${schema.slice(0, maxLength)}… (${schema.length} characters)` : schema
    return [{ subject: toolSubject(lintTool, side), message, facts: [...shown, `sent: ${sent}`], form }]
  })
}

const secretWords =
  /(?:^| )(?:password|passwd|passphrase|secret|ssn|cvv|cvc|social security number|(?:credit )?card number|(?:api|private|secret) key|(?:access|refresh|auth|api|bearer|session) token)$/

function isSecret({ name, shape }: Field): boolean {
  if (shape.kind !== 'string') return false
  const { format } = typeof shape.schema === 'object' ? shape.schema : {}
  return format === 'password' || secretWords.test(wordsOf(name).join(' '))
}

function isMarked({ label }: Field, paths: SensitivePathsIr = {}): boolean {
  const path = `/${label.replaceAll('[]', '.*').replaceAll('.', '/')}`
  return Object.keys(paths).some((marked) => {
    const pattern = marked
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('**', '§')
      .replaceAll('*', '[^/]+')
      .replaceAll('§', '.*')
    return new RegExp(`^${pattern}(?:/|$)`).test(path)
  })
}
