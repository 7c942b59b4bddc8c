import type { Rule } from './rule.js'

/** The rules for toolsets as a whole. */
export const toolsetRules: readonly Rule[] = [
  {
    id: 'toolset-removed',
    category: 'code',
    severity: 'breaking',
    says: 'is gone',
    why: 'Modules that import its calls, types and specs do not compile. A toolset that was renamed is gone and new.',
    next: 'Keep the toolset until nobody imports it.',
  },
  {
    id: 'toolset-added',
    category: 'code',
    severity: 'safe',
    says: 'is new',
    why: 'Nobody uses it yet; where an agent does, that is told of the agent.',
    next: 'Nothing.',
  },
  {
    id: 'toolset-namespace-changed',
    category: 'recorded',
    severity: 'breaking',
    says: 'is in another namespace',
    why: 'Sessions see the tools of their namespaces alone: those that are open or stored lose the tools of this toolset.',
    next: 'Keep the namespace, or open sessions with both until the old ones have ended.',
  },
  {
    id: 'toolset-described-otherwise',
    category: 'model',
    severity: 'visible',
    says: 'is described otherwise',
    why: 'Prompts and catalogues quote the description.',
    next: 'Look at the evaluations of prompts that quote it.',
  },
  {
    id: 'type-removed',
    category: 'code',
    severity: 'breaking',
    says: 'exports a type no more',
    why: 'Each shared definition is an exported type, and modules that import it do not compile.',
    next: 'Keep the name of the definition.',
  },
]
