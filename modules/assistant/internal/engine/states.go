package engine

import "strings"

// both is a word in both languages.
type both struct{ english, russian string }

func (t *talk) word(of map[string]both, key string) string {
	word, known := of[key]
	switch {
	case !known:
		return key
	case t.ask.Language == "ru":
		return word.russian
	}
	return word.english
}

var stateWords = map[string]both{
	"online": {"online", "в сети"}, "offline": {"offline", "не в сети"}, "degraded": {"degraded", "работает с перебоями"},
	"pending": {"waiting for its agent", "ждёт агента"}, "maintenance": {"in maintenance", "на обслуживании"},
	"disabled": {"disabled", "отключена"}, "up": {"up", "работает"}, "down": {"down", "не работает"},
	"unknown": {"unknown", "неизвестно"}, "healthy": {"healthy", "здоров"},
	"draft": {"a draft, not installed", "черновик, не установлен"}, "compiled": {"planned, not installed", "спланирован, не установлен"},
	"applying": {"being applied", "применяется"}, "applied": {"applied", "применён"},
	"apply_failed": {"its last apply failed", "последнее применение не удалось"},
	"active":       {"active", "действует"}, "grace": {"in grace", "льготный срок"}, "unused": {"not used", "не используется"},
	"valid": {"valid", "действителен"}, "expiring": {"expiring", "истекает"}, "expired": {"expired", "истёк"},
	"failed": {"failed", "не удалось"}, "none": {"not issued", "не выпущен"}, "issuing": {"being issued", "выпускается"},
	"succeeded": {"succeeded", "удался"}, "partial": {"partly succeeded", "удался частично"},
	"cancelled": {"cancelled", "отменён"}, "running": {"running", "выполняется"}, "queued": {"waiting", "ждёт очереди"},
	"uploading": {"uploading", "загружается"},
}

func (t *talk) state(key string) string { return t.word(stateWords, key) }

var reasonWords = map[string]both{
	"agent_stale":    {"its agent is late with its reports", "агент опаздывает с отчётами"},
	"agent_lost":     {"its agent is silent", "агент молчит"},
	"agent_revoked":  {"the token of its agent was revoked", "токен агента отозван"},
	"core_failed":    {"its proxy core failed", "прокси-ядро упало"},
	"core_stopped":   {"its proxy core is stopped", "прокси-ядро остановлено"},
	"config_behind":  {"it has not installed its newest configuration", "новейшая конфигурация ещё не установлена"},
	"cloned":         {"two servers report as this node", "под этой нодой отчитываются два сервера"},
	"never_enrolled": {"no agent has ever reported", "агент ещё ни разу не отчитывался"},
	"panel_address":  {"its agent knows an old address of the panel", "агент знает старый адрес панели"},
}

func (t *talk) reason(key string) string { return t.word(reasonWords, key) }

func (t *talk) reasons(keys []string) string {
	words := make([]string, len(keys))
	for i, key := range keys {
		words[i] = t.reason(key)
	}
	return orNone(strings.Join(words, ", "), t.say("no reason is known", "причина неизвестна"))
}

var severityWords = map[string]both{
	"critical": {"critical", "критично"}, "warning": {"warning", "предупреждение"}, "info": {"note", "к сведению"},
}

var hintWords = map[string]both{
	"unreachable": {"it cannot be reached", "до неё не достучаться"}, "route": {"a route is broken", "нарушен маршрут"},
	"agent": {"its agent is silent", "агент молчит"}, "core_failed": {"its proxy core failed", "прокси-ядро упало"},
	"blocked_region": {"it is blocked in a region", "заблокирована в регионе"}, "overload": {"it is overloaded", "перегружена"},
	"ddos": {"it is attacked", "её атакуют"}, "cert": {"a certificate is bad", "сертификат негоден"},
	"dns": {"its name leads elsewhere", "имя ведёт не туда"}, "node": {"its node", "её нода"},
}
