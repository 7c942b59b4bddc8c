import type { McpServer } from '@modelcontextprotocol/server'

export function newServer(): McpServer
