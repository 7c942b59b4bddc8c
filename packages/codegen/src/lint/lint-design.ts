import { join } from 'node:path'
import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import { readText, templateFile } from '../files.js'
import { moduleSource } from '../imports/imported-files.js'
import type { DesignIr, SchemaObject } from '../ir/types.js'
import type { LoadedDesign } from '../load/load-design.js'
import type { RuleLevel } from '../load/toolgen-config.js'
import { own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import type { FormChange, VendorForms } from '../tokens/vendor-forms.js'
import { type ForeignKind, importKindOf, type LintDiagnostic, lintContext, type Rule, type Subject } from './context.js'
import { dataFlowRules } from './rules-data-flow.js'
import { safetyRules } from './rules-safety.js'
import { usabilityRules } from './rules-usability.js'

export const rules: readonly Rule[] = [...safetyRules, ...dataFlowRules, ...usabilityRules].sort((a, b) =>
  byCodePoint(a.code, b.code),
)

export const ruleIds: readonly string[] = rules.map(({ id }) => id)

export function ruleExamples(id: string): { readonly bad: string; readonly good: string } {
  const text = templateFile('lint-examples.md')
  const section = text.split('\n## ').find((each) => each.startsWith(`${id}\n`)) ?? ''
  const [bad = '', good = ''] = [...section.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, code = '']) => code)
  return { bad, good }
}

export function unknownRules(
  requested: readonly string[],
  configured: readonly string[],
  locationOf: (id: string) => SourceLocation,
): readonly Diagnostic[] {
  const unknown = (ids: readonly string[]): readonly string[] => ids.filter((id) => !ruleIds.includes(id))
  const help = (id: string) => unknownRuleHelp(id, 'Use an existing rule.')
  return [
    ...unknown(requested).map((id): Diagnostic => {
      return { code: 'TG0003', severity: 'error', message: `Unknown rule \`${id}\`.`, ...help(id) }
    }),
    ...unknown(configured).map((id): Diagnostic => {
      const message = `Unknown rule \`${id}\` in \`lint.rules\`.`
      return { code: 'TG1013', severity: 'error', message, ...help(id), location: locationOf(id) }
    }),
  ]
}

function unknownRuleHelp(id: string, otherwise: string): Pick<Diagnostic, 'next' | 'near' | 'related'> {
  const near = nearest(id, ruleIds)
  return {
    next: near[0] === undefined ? otherwise : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
    related: [{ message: `Known rules: ${ruleIds.join(', ')}. \`toolgen explain RULE\` explains a rule.` }],
  }
}

export interface DesignLintOptions {
  readonly root: string
  readonly only?: readonly string[]
  readonly levels: Readonly<Record<string, RuleLevel>>
  /** If the function of a vendor is missing, the rules of this vendor are not checked. */
  readonly forms: VendorForms
}

export interface LintReport {
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Readonly<Record<string, number>>
  readonly suppressed: readonly SuppressedDiagnostic[]
  readonly projected: readonly ProjectedTool[]
}

export interface ProjectedTool {
  readonly rule: string
  readonly tool: string
  readonly schema: SchemaObject
  readonly changes: readonly FormChange[]
}

export interface SuppressedDiagnostic {
  readonly rule: string
  readonly message: string
  readonly reason: string
}

export function lintDesign(design: DesignIr, loaded: LoadedDesign, options: DesignLintOptions): LintReport {
  const context = lintContext(design, options.forms)
  const suppressions = new Suppressions(design)
  const locationOf = subjectLocations(loaded)
  const importKinds = new Map(design.toolsets.map((toolset) => [toolset.name, importKindOf(toolset)]))
  const levelOf = (rule: Rule): RuleLevel => own(options.levels, rule.id) ?? 'warning'
  const applied = rules.filter(
    (rule) =>
      (rule.vendor === undefined || options.forms[rule.vendor] !== undefined) &&
      levelOf(rule) !== 'off' &&
      (options.only?.includes(rule.id) ?? true),
  )
  const diagnostics: Diagnostic[] = []
  const suppressed: SuppressedDiagnostic[] = []
  const projected: ProjectedTool[] = []
  const counts: Record<string, number> = {}
  for (const rule of applied) {
    for (const { subject, message, facts = [], form } of distinct(rule.check(context))) {
      const reason = suppressions.reasonFor(rule.id, subject)
      if (reason !== undefined) {
        suppressed.push({ rule: rule.id, message, reason })
        continue
      }
      const location = locationOf(subject)
      const importKind = subject.kind === 'tool' ? importKinds.get(subject.toolset) : undefined
      const fromSource = location && sourceFix(rule.id, location.file, options.root)
      diagnostics.push({
        code: rule.code,
        severity: levelOf(rule) === 'error' ? 'error' : 'warning',
        message: `${message} (${rule.id})`,
        next: fromSource ?? (importKind === undefined ? rule.next : importedFix(importKind, rule.id)),
        ...(facts.length > 0 && { related: facts.map((fact) => ({ message: fact })) }),
        ...(location !== undefined && { location }),
      })
      counts[rule.id] = (counts[rule.id] ?? 0) + 1
      if (form !== undefined && subject.kind === 'tool') {
        const tool = `${subject.toolset}.${subject.tool}`
        projected.push({ rule: rule.id, tool, schema: form.schema, changes: form.changes })
      }
    }
  }
  for (const entry of suppressions.all) {
    const { rule, where, subject } = entry
    const isUnknown = options.only === undefined && !ruleIds.includes(rule)
    if (!isUnknown && !(suppressions.unused.has(entry) && applied.some(({ id }) => id === rule))) continue
    const location = locationOf(subject)
    diagnostics.push({
      code: isUnknown ? 'TG8390' : 'TG8391',
      severity: 'warning',
      message: `${where} suppresses \`${rule}\`, which ${isUnknown ? 'is not a rule' : 'reports no problem there'}.`,
      ...(isUnknown
        ? unknownRuleHelp(rule, 'Remove the entry, or use an existing rule.')
        : { next: 'Remove the entry from `lint`, so that later problems are reported.' }),
      ...(location !== undefined && { location }),
    })
  }
  return { diagnostics, counts, suppressed, projected }
}

/** Duplicates occur if several agents use the same tool. */
function distinct(found: readonly LintDiagnostic[]): Iterable<LintDiagnostic> {
  return new Map(found.map((each) => [`${each.subject.kind} ${each.message}`, each])).values()
}

const owners: Readonly<Record<ForeignKind, string>> = {
  mcp: 'an MCP server',
  openapi: 'an OpenAPI document',
  functions: 'function definitions',
}

function importedFix(kind: ForeignKind, rule: string): string {
  return `The tool is from ${owners[kind]}: change, confirm or omit it in the options of \`importedToolset\`, or give a reason there in \`lint: { '${rule}': '...' }\` of this tool.`
}

/** The fix is in the imported module, because the next `toolgen import module` overwrites the file. */
function sourceFix(rule: string, file: string, root: string): string | undefined {
  const source = moduleSource(readText(join(root, file)))
  if (source === undefined) return undefined
  const change =
    rule === 'unconfirmed-mutation'
      ? `Set \`needsApproval: true\` on the tool in \`${source}\` and import again`
      : `Change the tool in \`${source}\` and import again`
  return `${change}, or turn the rule off in the configuration: \`lint: { rules: { '${rule}': 'off' } }\`. Do not edit \`${file}\`: \`toolgen import\` wrote it.`
}

function subjectLocations({
  toolsets,
  agents,
  locations,
}: LoadedDesign): (subject: Subject) => SourceLocation | undefined {
  return (subject) => {
    if (subject.kind === 'agent') {
      const agent = agents.find(({ name }) => name === subject.agent)
      return agent && locations.locationOf(agent, ...(subject.path ?? []))
    }
    const toolset = toolsets.find(({ name }) => name === subject.toolset)
    if (toolset === undefined) return undefined
    if (subject.kind === 'toolset') return locations.locationOf(toolset, ...(subject.path ?? []))
    if (subject.field === undefined)
      return locations.locationOf(toolset, 'tools', subject.tool, ...(subject.path ?? []))
    // JSON Schema has fields in `properties`; objects of libraries have them directly.
    const inPayload = (...path: readonly string[]): SourceLocation =>
      locations.locationOf(toolset, 'tools', subject.tool, 'payload', ...path)
    const { path } = subject.field
    const [payload, nested] = [inPayload(), inPayload(...path.flatMap((name) => ['properties', name]))]
    const isFound = nested.file !== payload.file || nested.line !== payload.line || nested.column !== payload.column
    return isFound ? nested : inPayload(...path)
  }
}

interface Suppression {
  readonly rule: string
  readonly reason: string
  readonly subject: Subject
  readonly where: string
}

class Suppressions {
  readonly unused: Set<Suppression> = new Set()
  readonly #byOwner = new Map<string, Suppression>()
  readonly #users = new Map<string, string[]>()

  constructor({ toolsets, agents }: DesignIr) {
    for (const { name: toolset, lint } of toolsets) {
      this.#add({ kind: 'toolset', toolset }, `The toolset \`${toolset}\``, lint)
    }
    for (const { name: toolset, tools } of toolsets) {
      for (const { name: tool, id, lint } of tools) this.#add({ kind: 'tool', toolset, tool }, `\`${id}\``, lint)
    }
    for (const { name: agent, lint, uses } of agents) {
      this.#add({ kind: 'agent', agent }, `The agent \`${agent}\``, lint)
      for (const { toolset, tools } of uses) {
        for (const { tool } of tools) {
          const users = this.#users.get(`${toolset}.${tool}`) ?? []
          this.#users.set(`${toolset}.${tool}`, [...users, agent])
        }
      }
    }
  }

  get all(): Iterable<Suppression> {
    return this.#byOwner.values()
  }

  #add(subject: Subject, where: string, lint: Readonly<Record<string, string>> = {}): void {
    for (const [rule, reason] of Object.entries(lint)) {
      const suppression = { rule, reason, where, subject: { ...subject, path: ['lint', rule] } }
      this.#byOwner.set(ownerKey(subject, rule), suppression)
      this.unused.add(suppression)
    }
  }

  /** An entry in an agent counts only if every agent with this tool has an entry for the rule. */
  reasonFor(rule: string, subject: Subject): string | undefined {
    const entryOf = (owner: Subject): Suppression | undefined => this.#byOwner.get(ownerKey(owner, rule))
    const near = [entryOf(subject)]
    let users: readonly (Suppression | undefined)[] = []
    if (subject.kind === 'tool') {
      const { toolset, tool } = subject
      near.push(entryOf({ kind: 'toolset', toolset }))
      users = (this.#users.get(`${toolset}.${tool}`) ?? []).map((agent) => entryOf({ kind: 'agent', agent }))
    }
    for (const entry of [...near, ...users]) if (entry !== undefined) this.unused.delete(entry)
    const own = near.find((entry) => entry !== undefined)
    return (own ?? (users.includes(undefined) ? undefined : users[0]))?.reason
  }
}

function ownerKey(owner: Subject, rule: string): string {
  const name = owner.kind === 'agent' ? owner.agent : owner.toolset
  return `${owner.kind} ${name} ${owner.kind === 'tool' ? owner.tool : ''} ${rule}`
}
