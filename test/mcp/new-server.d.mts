import type { McpServer } from '@modelcontextprotocol/server'

export const seen: { waiting: number; cancelled: number }
export function newServer(): McpServer
